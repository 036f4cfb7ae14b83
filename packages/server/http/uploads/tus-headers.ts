import { ApiError } from "@stemwright/contract";
import { z } from "zod";

/** tus 1.0.0: https://tus.io/protocols/resumable-upload */
export const TUS_VERSION = "1.0.0";
const TUS_EXTENSIONS = "creation,creation-with-upload,expiration,termination";

/** Response headers that pages of other origins may read. */
export const TUS_HEADERS = [
  "tus-resumable",
  "tus-version",
  "tus-extension",
  "tus-max-size",
  "upload-offset",
  "upload-length",
  "upload-metadata",
  "upload-expires",
];

/** What OPTIONS says about the protocol. */
export const describeTus = (maxBytes: number) => ({
  "tus-resumable": TUS_VERSION,
  "tus-version": TUS_VERSION,
  "tus-extension": TUS_EXTENSIONS,
  "tus-max-size": String(maxBytes),
});

const version = z
  .string()
  .exactOptional()
  .meta({ description: `The version of the tus protocol, ${TUS_VERSION}` });
const wholeNumber = (description: string) =>
  z
    .string("is required")
    .regex(/^\d{1,15}$/, "must be a whole number of bytes")
    .transform(Number)
    .meta({ description, type: "integer" });
const MAX_METADATA_CHARACTERS = 4096;

export const versionHeaders = z.looseObject({ "tus-resumable": version });
export const creationHeaders = versionHeaders.extend({
  "upload-length": wholeNumber("Bytes of the whole file"),
  "upload-metadata": z.string().max(MAX_METADATA_CHARACTERS).exactOptional().meta({
    description:
      "Pairs of a key and a value in base64, separated by commas: `filename`, `filetype`, and `fingerprint` to find it again",
  }),
});
export const pieceHeaders = versionHeaders.extend({
  "upload-offset": wholeNumber("Bytes stored so far; the body continues there"),
});

export function checkTusVersion(headers: { "tus-resumable"?: string | undefined }): void {
  const given = headers["tus-resumable"];
  if (given !== undefined && given !== TUS_VERSION)
    throw new ApiError("TUS_VERSION_UNSUPPORTED", `Tus-Resumable is ${given}; send ${TUS_VERSION}`);
}

const fromBase64 = (text: string) => Buffer.from(text, "base64").toString("utf8").replaceAll("\0", "");

/** `filename ZmlsbS5tcDQ=,private`: keys, each with a value in base64 or none. */
export function parseUploadMetadata(text: string): Map<string, string> {
  const pairs = text.split(",").map((pair) => pair.trim().split(/ +/));
  const isWrong = ([key = "", value = "", ...rest]: string[]) =>
    key === "" || rest.length > 0 || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value);
  if (text !== "" && pairs.some(isWrong))
    throw new ApiError(
      "REQUEST_INVALID",
      "Upload-Metadata must be pairs of a key and a value in base64, separated by commas",
    );
  return new Map(pairs.map(([key = "", value = ""]) => [key, fromBase64(value)]));
}
