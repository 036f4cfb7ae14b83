import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Asset } from "@stemwright/contract";
import type { Account } from "./account.ts";

const PIECES = 20;

/** A form with one file, sent piece by piece over a period, so that kills hit it in progress. */
function makeSlowForm(file: { filename: string; content: Uint8Array }, durationMs: number) {
  const boundary = randomUUID();
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${file.filename}"\r\n\r\n`;
  const pieceBytes = Math.ceil(file.content.length / PIECES);
  async function* send(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head);
    for (let at = 0; at < file.content.length; at += pieceBytes) {
      yield file.content.subarray(at, at + pieceBytes);
      if (durationMs > 0) await wait(durationMs / PIECES);
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { body: send(), contentType: `multipart/form-data; boundary=${boundary}` };
}

/** Uploads a file, with retries, and returns the asset. */
export async function uploadSlowly(
  { api }: Account,
  upload: { filename: string; content: Uint8Array; durationMs: number },
  signal: AbortSignal,
): Promise<Asset> {
  const answer = await api.call(
    {
      method: "POST",
      path: "/assets",
      makeBody: () => makeSlowForm(upload, upload.durationMs),
      idempotencyKey: randomUUID(),
    },
    signal,
  );
  return answer.body as Asset;
}
