import { saveBlob } from "./save-blob.ts";

/** The name the service gives a file: the one in all letters, if there is one (RFC 6266). */
export function findFileName(disposition: string | null, otherwise: string): string {
  const full = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? "")?.[1];
  if (full !== undefined) return decodeURIComponent(full);
  return /filename="([^"]+)"/.exec(disposition ?? "")?.[1] ?? otherwise;
}

/** Saves a response as a file. */
export async function saveResponse(response: Response): Promise<void> {
  const name = findFileName(response.headers.get("content-disposition"), "words.txt");
  saveBlob(await response.blob(), name);
}
