export type MediaInfo = {
  /** FFmpeg's short name of the demuxer, e.g. "mov,mp4,m4a,3gp,3g2,mj2". */
  container: string;
  codec: string;
  sampleRateHz: number;
  channels: number;
  /**
   * FFmpeg's description, e.g. "5.1(side)". A file that names no layout gets the usual one for its channel
   * count.
   */
  channelLayout: string;
  /** As the container states it, which may be wrong; undefined where it states none. */
  durationSeconds: number | undefined;
  /** A moving picture; cover art does not count. */
  hasVideo: boolean;
  /** FFmpeg's name of how that picture is coded. */
  pictureCodec?: string;
};
