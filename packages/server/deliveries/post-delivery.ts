import { request } from "undici";
import { toLogin } from "../domain/url-login.ts";
import { type AddressGuard, AddressRefused } from "../net/address-guard.ts";
import { findReason } from "../net/find-reason.ts";

const MAX_ANSWER_BYTES = 16 * 1024;

/** `answer` is the beginning of the receiver's response. */
export type PostOutcome = { statusCode?: number; error?: string; answer?: string };

const toBasicAuth = (url: URL) => `Basic ${Buffer.from(toLogin(url)).toString("base64")}`;

/** Reads as far as possible: a receiver that breaks off has still answered. */
async function readAnswer(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const part of body) {
      parts.push(part);
      sizeBytes += part.length;
      if (sizeBytes >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // The status is enough.
  }
  return Buffer.concat(parts).toString();
}

/** Makes one call. A 2xx is the only success; redirects are not followed. No error means delivered. */
export async function postDelivery(options: {
  guard: AddressGuard;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  timeoutMs: number;
  signal: AbortSignal;
}): Promise<PostOutcome> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  try {
    const url = new URL(options.url);
    options.guard.checkUrl(url);
    const { statusCode, body } = await request(url, {
      method: "POST",
      dispatcher: options.guard.dispatcher,
      signal: AbortSignal.any([timeout, options.signal]),
      // A kept connection that the receiver has closed meanwhile would look like a failed call.
      reset: true,
      headers: {
        "content-type": "application/json",
        "user-agent": "stemwright",
        ...(url.username === "" && url.password === "" ? {} : { authorization: toBasicAuth(url) }),
        ...options.headers,
      },
      body: options.body,
    });
    // Only the status matters; the log keeps the beginning of the body.
    const answer = await readAnswer(body);
    if (statusCode >= 200 && statusCode < 300) return { statusCode, answer };
    const what = statusCode >= 300 && statusCode < 400 ? ", a redirect, which is not followed" : "";
    return { statusCode, answer, error: `The receiver answered ${statusCode}${what}` };
  } catch (error) {
    if (timeout.aborted) return { error: `No answer within ${options.timeoutMs / 1000} s` };
    const reason = findReason(error);
    return { error: reason instanceof AddressRefused ? reason.message : `No answer: ${reason.message}` };
  }
}
