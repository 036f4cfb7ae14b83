import { open, rm } from "node:fs/promises";
import { type DecodedInfo, decodedInfoSchema } from "./media-info.ts";
import { openInputFile } from "./open-input-file.ts";
import { FIRST_FILE_FD, startMediaChild } from "./start-media-child.ts";

type DecodeOptions = {
  inputPath: string;
  pcmPath: string;
  /** Applied to what is actually decoded, not to what the container claims. */
  maxDurationSeconds?: number;
  /** Limit of raw PCM; the container's own claim counts too, so that a decompression bomb is refused before it takes disk space. */
  maxBytes?: number;
  /** Decode only these seconds, as far as the file has them. */
  range?: { startSeconds: number; endSeconds: number };
  /** Called once the child process is working: this process may then do something else. */
  onStart?: () => void;
  onProgress?: (fraction: number) => void;
};

export type DecodedMedia = DecodedInfo;

/** Writes raw interleaved f32le at the file's own rate and channel count. */
export async function decodeToPcm(options: DecodeOptions): Promise<DecodedMedia> {
  const { inputPath, pcmPath, maxDurationSeconds, maxBytes, range, onStart, onProgress } = options;
  const { file: input, sizeBytes } = await openInputFile(inputPath);
  try {
    const pcm = await open(pcmPath, "w");
    try {
      const files = {
        inputFd: FIRST_FILE_FD,
        pcmFd: FIRST_FILE_FD + 1,
        inputSizeBytes: sizeBytes,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      };
      const limit = maxDurationSeconds === undefined ? {} : { maxDurationSeconds };
      const child = await startMediaChild({
        work: range ? { kind: "decode-range", ...files, ...range } : { kind: "decode", ...files, ...limit },
        resultSchema: decodedInfoSchema,
        files: [input, pcm],
        watchStall: true,
        onProgress,
      });
      onStart?.();
      const media = await child.result;
      onProgress?.(1);
      return media;
    } catch (error) {
      await rm(pcmPath, { force: true });
      throw error;
    } finally {
      await pcm.close();
    }
  } finally {
    await input.close();
  }
}
