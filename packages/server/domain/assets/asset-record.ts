/** The result of probing the file; stored with the asset, so that each file is probed once. */
export type MediaFacts =
  | {
      isReadable: true;
      durationSeconds?: number;
      sampleRateHz: number;
      channels: number;
      hasVideo: boolean;
      /** Video codec. */
      pictureCodec?: string;
      /** FFmpeg's name; absent if it was probed by an earlier release, which read no container whose name matters. */
      container?: string;
    }
  | { isReadable: false; reason: "unreadable" | "no-audio"; message: string };

export type ReadableMedia = Extract<MediaFacts, { isReadable: true }>;

export type AssetRecord = {
  id: string;
  clientId: string;
  name: string;
  format: string;
  sizeBytes: number;
  blobKey: string;
  createdAt: Date;
  media?: MediaFacts;
};
