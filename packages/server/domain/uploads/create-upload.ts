import { ACCEPTED_FORMATS, findDeclaredFormat } from "../assets/find-format.ts";
import { toCleanName } from "../assets/store-upload.ts";
import { makeId } from "../ids.ts";
import { Refusal } from "../refusal.ts";
import { refuseField } from "../refuse-field.ts";
import { toPartBytes } from "./partial-files.ts";
import type { NewUpload } from "./upload-record.ts";

export type UploadAnnouncement = {
  name: string;
  sizeBytes: number;
  contentType?: string | undefined;
  fingerprint?: string | undefined;
  metadata?: string | undefined;
};

/** What a client announces, as an upload that has nothing yet. */
export function makeUpload(
  clientId: string,
  announcement: UploadAnnouncement,
  { maxBytes, isDirect = false }: { maxBytes: number; isDirect?: boolean },
): NewUpload {
  const { sizeBytes, contentType } = announcement;
  const name = toCleanName(announcement.name);
  if (sizeBytes === 0) throw new Refusal("UPLOAD_EMPTY", `"${name}" is empty; there is nothing to send`);
  if (sizeBytes > maxBytes)
    throw new Refusal("UPLOAD_TOO_LARGE", `The file has ${sizeBytes} bytes; the limit is ${maxBytes} bytes`);
  const format = findDeclaredFormat({ names: [name], contentType });
  if (isDirect && format === undefined)
    refuseField("UPLOAD_FORMAT_UNSUPPORTED", {
      path: "name",
      message: `"${name}" does not tell the file's format: give it the extension of one of ${ACCEPTED_FORMATS.join(", ")}`,
    });
  return {
    ...announcement,
    id: makeId(),
    clientId,
    name,
    format,
    partBytes: toPartBytes({ sizeBytes, isDirect }),
    isDirect,
  };
}
