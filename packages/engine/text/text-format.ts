export type TextFormat = "json" | "srt" | "vtt" | "txt" | "lrc" | "ass" | "ultrastar";
