import { AVERROR_ENOMEM, AVERROR_ENOSPC } from "node-av/constants";
import { FFmpegError } from "node-av/lib";
import { MediaError, type MediaErrorKind, makeDiskFullError } from "../media-error.ts";

/** Turns FFmpeg's negative return codes into MediaErrors; `message` is a sentence without its full stop. */
export function checkFfmpeg(code: number, kind: MediaErrorKind, message: string): void {
  if (code >= 0) return;
  if (code === AVERROR_ENOSPC) throw makeDiskFullError();
  if (code === AVERROR_ENOMEM) throw new MediaError("crashed", "The file needs more memory than is allowed.");
  throw new MediaError(kind, `${message} (${FFmpegError.strerror(code)}).`);
}
