import { Converter, type ConverterFunction } from "opencc-js/t2cn";

const HAN = /\p{Script=Han}/u;
let convert: ConverterFunction | undefined;

/** Converts Chinese to simplified characters; other scripts are unchanged. */
export function toSimplified(text: string): string {
  if (!HAN.test(text)) return text;
  // Loaded lazily: its tables take 25 ms. Taiwan's, since Whisper writes 看著 as they do there.
  convert ??= Converter({ from: "tw", to: "cn" });
  return convert(text);
}
