/** What a look into the file found; kept with the asset, so that each file is opened once. */
export type MediaFacts =
  | {
      isReadable: true;
      durationSeconds?: number;
      sampleRateHz: number;
      channels: number;
      hasVideo: boolean;
      /** How the picture is coded; absent in looks that did not ask. */
      pictureCodec?: string;
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
