import { constants } from "node:os";
import { AVERROR_ENOMEM } from "node-av/constants";
import { FFmpegError } from "node-av/lib";
import { DISK_FULL_CODES } from "../../is-disk-full.ts";
import { MediaError, type MediaErrorKind, makeDiskFullError, makeTooLargeFileError } from "../media-error.ts";

/** FFmpeg returns errno values negated. */
const DISK_FULL = DISK_FULL_CODES.map((name) => -constants.errno[name]);

/** Turns FFmpeg's negative return codes into MediaErrors; `message` is a sentence without its full stop. */
export function checkFfmpeg(code: number, kind: MediaErrorKind, message: string): void {
  if (code >= 0) return;
  if (DISK_FULL.includes(code)) throw makeDiskFullError();
  if (code === -constants.errno.EFBIG) throw makeTooLargeFileError();
  if (code === AVERROR_ENOMEM) throw new MediaError("crashed", "The file needs more memory than is allowed.");
  throw new MediaError(kind, `${message} (${FFmpegError.strerror(code)}).`);
}
