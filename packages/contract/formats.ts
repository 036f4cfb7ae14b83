/** Output formats of the audio models. */
export const AUDIO_OUTPUT_FORMATS = ["wav", "flac", "mp3", "aiff", "mp4", "m4a", "aac", "opus"] as const;
/** Output formats of transcription and alignment. */
export const TEXT_OUTPUT_FORMATS = ["json", "srt", "vtt", "txt", "lrc", "ass", "ultrastar"] as const;
export type TextOutputFormat = (typeof TEXT_OUTPUT_FORMATS)[number];
/** Output formats of music detection. */
export const DETECTION_OUTPUT_FORMATS = ["json", "txt"] as const;

/** Accepted inputs, by file extension. */
export const INPUT_FORMATS = {
  audio: ["wav", "aiff", "aif", "flac", "mp3", "aac", "m4a", "ogg", "oga", "opus", "weba"],
  video: ["mp4", "m4v", "mov", "mkv", "webm"],
  text: ["txt", "json"],
} as const;

const MIME_TYPES: Record<string, string> = {
  wav: "audio/wav",
  aiff: "audio/aiff",
  aif: "audio/aiff",
  flac: "audio/flac",
  mp3: "audio/mpeg",
  aac: "audio/aac",
  m4a: "audio/mp4",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  opus: "audio/ogg",
  weba: "audio/webm",
  mp4: "video/mp4",
  m4v: "video/mp4",
  mov: "video/quicktime",
  mkv: "video/x-matroska",
  webm: "video/webm",
  json: "application/json",
  txt: "text/plain; charset=utf-8",
  srt: "application/x-subrip",
  vtt: "text/vtt; charset=utf-8",
  lrc: "text/plain; charset=utf-8",
  ass: "text/x-ssa; charset=utf-8",
  ultrastar: "text/plain; charset=utf-8",
};

/** By file extension; `application/octet-stream` if unknown. */
export const toMimeType = (format: string) => MIME_TYPES[format] ?? "application/octet-stream";

/** UltraStar songs have the extension `.txt`. */
export const toExtension = (format: string) => (format === "ultrastar" ? "ultrastar.txt" : format);

export const toFileName = (name: string, format: string) => `${name}.${toExtension(format)}`;
