import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { DecodedMedia } from "../media/index.ts";

/** The decoded input, open for reading. */
export type OpenInput = {
  source: FrameSource;
  info: DecodedMedia;
  /** Of the client's file. */
  sha256: string;
};
