import { Converter, type ConverterFunction } from "opencc-js/t2cn";

const HAN = /\p{Script=Han}/u;
let convert: ConverterFunction | undefined;

/** Chinese in simplified characters; those that are simplified already, and other scripts, stay as they are. */
export function toSimplified(text: string): string {
  if (!HAN.test(text)) return text;
  // Its tables take 25 ms, which most texts need not pay. Taiwan's, since Whisper writes 看著 as they do there.
  convert ??= Converter({ from: "tw", to: "cn" });
  return convert(text);
}
