import { type MediaInfo, mediaInfoSchema } from "./media-info.ts";
import { openInputFile } from "./open-input-file.ts";
import { FIRST_FILE_FD, startMediaChild } from "./start-media-child.ts";

/**
 * A probe takes a third of a second, and hardly a second for hours of film. It is made before anything is known of the file or charged for it, so a file
 * that is built to take long must not.
 */
const CPU_SECONDS = 5;

/** Opens the file, finds its best audio stream and decodes the first frame, so that a file that only looks like media fails. */
export async function probeMedia(inputPath: string): Promise<MediaInfo> {
  const { file } = await openInputFile(inputPath);
  try {
    const child = await startMediaChild({
      work: { kind: "probe", inputFd: FIRST_FILE_FD, cpuSeconds: CPU_SECONDS },
      resultSchema: mediaInfoSchema,
      files: [file],
      watchStall: true,
    });
    return await child.result;
  } finally {
    await file.close();
  }
}
