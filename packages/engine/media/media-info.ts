import { z } from "zod";

/** Validated when it comes from the media process, which a hostile file may have taken over. */
export const mediaInfoSchema = z.object({
  /** FFmpeg's short name of the demuxer, e.g. "mov,mp4,m4a,3gp,3g2,mj2". */
  container: z.string(),
  codec: z.string(),
  sampleRateHz: z.number().positive(),
  channels: z.int().positive(),
  /** FFmpeg's description, e.g. "5.1(side)". A file that names no layout gets the default one for its channel count. */
  channelLayout: z.string(),
  /** As stated by the container, which may be wrong; absent if not stated. */
  durationSeconds: z.number().positive().optional(),
  /** Moving pictures; cover art does not count. */
  hasVideo: z.boolean(),
  /** FFmpeg's name of the video codec. */
  pictureCodec: z.string().optional(),
  /** Title, artist and similar tags, by FFmpeg's names; absent if there are none. */
  tags: z.record(z.string(), z.string()).optional(),
});

export type MediaInfo = z.infer<typeof mediaInfoSchema>;

export const decodedInfoSchema = mediaInfoSchema.extend({
  lengthFrames: z.int().nonnegative(),
  /** For inputs with a picture: how long after the start of the file their audio begins. */
  audioStartSeconds: z.number().nonnegative().optional(),
});

export type DecodedInfo = z.infer<typeof decodedInfoSchema>;
