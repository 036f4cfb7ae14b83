import { AV_CODEC_ID_MPEG4, AV_CODEC_ID_VP9, AV_PIX_FMT_NONE } from "node-av/constants";
import type { CodecParameters } from "node-av/lib";
import { findMpeg4Size } from "./mpeg4-size.ts";
import { findVp9PixelFormat } from "./vp9-pixel-format.ts";

/**
 * Fills in what an mp4 has to state of a picture and FFmpeg would ask its decoder for, which is not let in: it is read from
 * the headers instead.
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
