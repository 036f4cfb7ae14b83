import { extname } from "node:path";
import { INPUT_FORMATS } from "@stemwright/contract";
import { findMediaFormat, findTextFormat } from "./content-format.ts";

export const ACCEPTED_FORMATS: readonly string[] = [
  ...INPUT_FORMATS.audio,
  ...INPUT_FORMATS.video,
  ...INPUT_FORMATS.text,
];

/** Misspelled or rarer extensions. */
const OTHER_SPELLINGS: Record<string, string> = {
  mp4a: "m4a",
  ec3: "eac3",
  snd: "au",
  vob: "mpg",
  m2t: "ts",
  asf: "wmv",
  "3gpp": "3gp",
};

const FORMAT_OF_TYPE: Record<string, string> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/vnd.wave": "wav",
  "audio/aiff": "aiff",
  "audio/x-aiff": "aiff",
  "audio/flac": "flac",
  "audio/x-flac": "flac",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/mpeg3": "mp3",
  "audio/aac": "aac",
  "audio/aacp": "aac",
  "audio/x-aac": "aac",
  "audio/mp4": "m4a",
  "audio/m4a": "m4a",
  "audio/x-m4a": "m4a",
  "audio/ogg": "ogg",
  "application/ogg": "ogg",
  "audio/opus": "opus",
  "audio/webm": "weba",
  "video/mp4": "mp4",
  "video/x-m4v": "m4v",
  "video/quicktime": "mov",
  "video/x-matroska": "mkv",
  "video/matroska": "mkv",
  "audio/x-matroska": "mka",
  "audio/matroska": "mka",
  "audio/x-caf": "caf",
  "audio/x-ms-wma": "wma",
  "audio/ac3": "ac3",
  "audio/eac3": "eac3",
  "audio/mp2": "mp2",
  "audio/basic": "au",
  "audio/x-au": "au",
  "audio/x-w64": "w64",
  "audio/wavpack": "wv",
  "audio/x-wavpack": "wv",
  "audio/amr": "amr",
  "audio/amr-wb": "amr",
  "audio/3gpp": "3gp",
  "video/x-msvideo": "avi",
  "video/avi": "avi",
  "video/vnd.avi": "avi",
  "video/mpeg": "mpg",
  "video/mp2t": "ts",
  "video/x-flv": "flv",
  "video/x-ms-wmv": "wmv",
  "video/x-ms-asf": "wmv",
  "video/3gpp": "3gp",
  "video/webm": "webm",
  "application/json": "json",
  "text/json": "json",
};
/** Content types of programs that don't know. */
const MEANINGLESS_TYPES = ["", "text/plain", "application/octet-stream", "binary/octet-stream"];

const toEssence = (contentType: string | undefined) => contentType?.split(";")[0]?.trim().toLowerCase() ?? "";

/** Not every dot makes an extension: "Dr. Smith", "take 1.2". */
const hasExtension = (name: string) => /^\.[a-z][a-z0-9]{0,4}$/i.test(extname(name));

/** What is known about a file before it is probed. */
export type FormatHints = {
  /** File names and paths, the most significant first. */
  names: readonly string[];
  contentType?: string | undefined;
};

/** By the extension of a name, else by the content type. */
export function findDeclaredFormat({ names, contentType }: FormatHints): string | undefined {
  const extensions = names.map((name) => extname(name).slice(1).toLowerCase());
  const formats = extensions.map((extension) => OTHER_SPELLINGS[extension] ?? extension);
  return (
    formats.find((format) => ACCEPTED_FORMATS.includes(format)) ?? FORMAT_OF_TYPE[toEssence(contentType)]
  );
}

/** By the content. Almost anything can be text, so text declared as something else, such as HTML, is not a transcript. */
export function findFormatOfContent(
  { names, contentType }: FormatHints,
  head: Buffer,
  { isWhole }: { isWhole: boolean },
): string | undefined {
  const media = findMediaFormat(head);
  if (media !== undefined) return media;
  const isUntold = !names.some(hasExtension) && MEANINGLESS_TYPES.includes(toEssence(contentType));
  return isUntold ? findTextFormat(head, { isWhole }) : undefined;
}
