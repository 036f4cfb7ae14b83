/** Output formats of the audio models. */
export const AUDIO_OUTPUT_FORMATS = ["wav", "flac", "mp3", "aiff", "mp4", "m4a", "aac", "opus"] as const;
/** Output formats of voices: json says who speaks when. */
export const VOICES_OUTPUT_FORMATS = [...AUDIO_OUTPUT_FORMATS, "json"] as const;
/** Output formats of transcription and alignment. */
export const TEXT_OUTPUT_FORMATS = ["json", "srt", "vtt", "txt", "lrc", "ass", "ultrastar"] as const;
export type TextOutputFormat = (typeof TEXT_OUTPUT_FORMATS)[number];
/** Output formats of music detection. */
export const DETECTION_OUTPUT_FORMATS = ["json", "txt"] as const;
/** Output formats of music analysis; `click` is a wav with a click on every beat. */
export const ANALYSIS_OUTPUT_FORMATS = ["json", "mid", "click", "lab", "csv"] as const;

/** Accepted inputs, by file extension. */
export const INPUT_FORMATS = {
  audio: [
    ...(["wav", "aiff", "aif", "flac", "mp3", "aac", "m4a", "ogg", "oga", "opus", "weba"] as const),
    ...(["mka", "caf", "wma", "ac3", "eac3", "mp2", "au", "w64", "wv", "amr"] as const),
  ],
  video: [
    ...(["mp4", "m4v", "mov", "mkv", "webm"] as const),
    ...(["avi", "mpg", "mpeg", "ts", "m2ts", "mts", "flv", "wmv", "3gp"] as const),
  ],
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
  mka: "audio/x-matroska",
  caf: "audio/x-caf",
  wma: "audio/x-ms-wma",
  ac3: "audio/ac3",
  eac3: "audio/eac3",
  mp2: "audio/mpeg",
  au: "audio/basic",
  w64: "audio/x-w64",
  wv: "audio/x-wavpack",
  amr: "audio/amr",
  mp4: "video/mp4",
  m4v: "video/mp4",
  mov: "video/quicktime",
  mkv: "video/x-matroska",
  webm: "video/webm",
  avi: "video/x-msvideo",
  mpg: "video/mpeg",
  mpeg: "video/mpeg",
  ts: "video/mp2t",
  m2ts: "video/mp2t",
  mts: "video/mp2t",
  flv: "video/x-flv",
  wmv: "video/x-ms-wmv",
  "3gp": "video/3gpp",
  json: "application/json",
  txt: "text/plain; charset=utf-8",
  srt: "application/x-subrip",
  vtt: "text/vtt; charset=utf-8",
  lrc: "text/plain; charset=utf-8",
  ass: "text/x-ssa; charset=utf-8",
  ultrastar: "text/plain; charset=utf-8",
  mid: "audio/midi",
  click: "audio/wav",
  lab: "text/plain; charset=utf-8",
  csv: "text/csv; charset=utf-8",
};

/** By file extension; `application/octet-stream` if unknown. */
export const toMimeType = (format: string) => MIME_TYPES[format] ?? "application/octet-stream";

const EXTENSIONS: Record<string, string> = { ultrastar: "ultrastar.txt", click: "click.wav" };

/** UltraStar songs have the extension `.txt`, click tracks `.wav`. */
export const toExtension = (format: string) => EXTENSIONS[format] ?? format;

export const toFileName = (name: string, format: string) => `${name}.${toExtension(format)}`;
