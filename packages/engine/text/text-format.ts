export const TEXT_FORMATS = ["json", "srt", "vtt", "txt", "lrc"] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];
