import type { BlobRange } from "../../domain/ports.ts";

/**
 * A `Range` header against a file's size (RFC 9110, section 14): the range, "invalid" if it is outside the file, or
 * undefined if the whole file is to be sent. Several ranges at once may be ignored, and are. A position
 * beyond the largest exact number is rounded, but no file is that long.
 */
export function parseRange(header: string | undefined, sizeBytes: number): BlobRange | "invalid" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const suffixBytes = Number(last);
    if (suffixBytes === 0 || sizeBytes === 0) return "invalid";
    return { startByte: Math.max(0, sizeBytes - suffixBytes), endByte: sizeBytes - 1 };
  }
  const startByte = Number(first);
  if (last !== "" && Number(last) < startByte) return undefined;
  if (startByte >= sizeBytes) return "invalid";
  return { startByte, endByte: last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}
