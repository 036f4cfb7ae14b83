import { FFmpegError, FormatContext } from "node-av/lib";

/** The comment tag of a file, or in Ogg of its stream; trusted files only, as this runs outside the sandbox. */
export function readComment(path: string): string | undefined {
  const format = new FormatContext();
  FFmpegError.throwIfError(format.openInputSync(`file:${path}`));
  FFmpegError.throwIfError(format.findStreamInfoSync(null));
  const places = [format.metadata, ...format.streams.map(({ metadata }) => metadata)];
  return places.map((tags) => tags?.get("comment")).find((comment) => comment != null) ?? undefined;
}
