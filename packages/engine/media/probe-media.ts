import { type MediaInfo, mediaInfoSchema } from "./media-info.ts";
import { openInputFile } from "./open-input-file.ts";
import { FIRST_FILE_FD, startMediaChild } from "./start-media-child.ts";

/** Opens the file, finds its best audio stream and decodes the first frame, so that a file that only looks like media fails. */
export async function probeMedia(inputPath: string): Promise<MediaInfo> {
  const { file } = await openInputFile(inputPath);
  try {
    const child = await startMediaChild({
      work: { kind: "probe", inputFd: FIRST_FILE_FD },
      resultSchema: mediaInfoSchema,
      files: [file],
      watchStall: true,
    });
    return await child.result;
  } finally {
    await file.close();
  }
}
