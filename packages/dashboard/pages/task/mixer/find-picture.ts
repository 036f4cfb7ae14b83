import { NotFoundError, type Task } from "@stemwright/sdk";
import { apiClient } from "../../../account/api-client.ts";
import { isOwnLink, toOwnLink } from "../../../data/own-link.ts";

/** The video of the input, or why it is unavailable. */
export type Picture = { link: string } | { reason: string };

const VIDEO_FORMATS = new Set([
  ...["mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts", "m2ts", "mts", "flv", "wmv", "3gp"],
]);

const isVideo = (format: string | undefined) =>
  format !== undefined && VIDEO_FORMATS.has(format.toLowerCase());
const formatOfUrl = (url: string) => /\.(\w+)(?:[?#]|$)/.exec(url)?.[1];

/** Undefined for audio inputs. The link is signed; it supports ranges and needs no header. */
export async function findPicture(
  { assetId, url }: Pick<Task, "assetId" | "url">,
  signal: AbortSignal,
): Promise<Picture | undefined> {
  if (url !== undefined)
    return isVideo(formatOfUrl(url))
      ? { reason: "No picture: the input was read from a URL, and only its sound was kept." }
      : undefined;
  if (assetId === undefined) return undefined;
  const asset = await apiClient.assets.get(assetId, { signal }).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
  // It is unknown whether a deleted input had video.
  if (!asset)
    return {
      reason: "The uploaded file is no longer stored: if it was a video, its picture is gone with it.",
    };
  if (!isVideo(asset.format)) return undefined;
  const link = toOwnLink(asset.link);
  return isOwnLink(link)
    ? { link }
    : { reason: "No picture: the file is in a bucket, which this page can't play from." };
}
