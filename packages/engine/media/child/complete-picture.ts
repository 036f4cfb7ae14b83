import { AV_CODEC_ID_MPEG4, AV_CODEC_ID_VP9, AV_PIX_FMT_NONE } from "node-av/constants";
import type { CodecParameters } from "node-av/lib";
import { findMpeg4Size } from "./mpeg4-size.ts";
import { findVp9PixelFormat } from "./vp9-pixel-format.ts";

/**
 * Fills in the video parameters that MP4 requires and that FFmpeg would get from a decoder, which is not allowed here. They are read from the headers
 * instead.
 */
export function completePicture(picture: CodecParameters, firstPacket: Uint8Array): void {
  if (picture.codecId === AV_CODEC_ID_VP9 && picture.format === AV_PIX_FMT_NONE) {
    picture.format = findVp9PixelFormat(firstPacket) ?? AV_PIX_FMT_NONE;
  }
  if (picture.codecId === AV_CODEC_ID_MPEG4 && picture.width === 0) {
    const size = findMpeg4Size(picture.extradata ?? firstPacket) ?? findMpeg4Size(firstPacket);
    if (size) Object.assign(picture, size);
  }
}
