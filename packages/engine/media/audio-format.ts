export const AUDIO_FORMATS = ["wav", "flac", "mp3", "aiff", "mp4", "m4a", "aac", "opus"] as const;

export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** 16 and 24 are integers; 32 is float and the default. */
export type WavBitDepth = 16 | 24 | 32;

/** A limit of the format. */
export const MAX_FLAC_CHANNELS = 8;

export type EncodeFile = { path: string; format: AudioFormat; wavBitDepth?: WavBitDepth };
