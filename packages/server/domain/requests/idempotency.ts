import { createHash } from "node:crypto";
import { Refusal } from "../refusal.ts";

import type { Stores } from "../stores.ts";

/** Distinguishes a repeated request from a different one with the same key. The principal is the key or person whose request it was. */
export type Receipt = { clientId: string; principal: string; key: string; fingerprint: Buffer };

export interface ReceiptStore {
  /** The response given for the key within the last day. One of an earlier release has no principal. */
  findReceipt(
    clientId: string,
    key: string,
  ): Promise<{ principal: string | null; fingerprint: Buffer; answer: unknown } | undefined>;
  /**
   * Runs the work on stores bound to one transaction, which also stores the response. Waits for a concurrent request with the same key, and fails with
   * `ReceiptTaken` if that one was answered.
   */
  keepAnswer<Answer>(receipt: Receipt, work: (stores: Stores) => Promise<Answer>): Promise<Answer>;
}

/** A concurrent request with the same key was answered first; this one changed nothing. */
export class ReceiptTaken extends Error {
  override readonly name = "ReceiptTaken";
}

/** What identifies a request: who makes it, its route with parameters, and its body. */
export type RepeatableRequest = Omit<Receipt, "fingerprint"> & { route: string; content: unknown };

/** Slow or external work is prepared outside the transaction that writes. */
export type OnceWork<Prepared, Answer> = {
  prepare(): Promise<Prepared>;
  write(stores: Stores, prepared: Prepared): Promise<Answer>;
};

/**
 * Answers a request once, however often it is sent. The receipt is written in the transaction that does the work: of two concurrent requests, the database
 * makes one wait for the other, and one that dies leaves no trace. Failures are not stored. Responses may hold secrets, so only the principal who made the
 * request gets one again; for the rest of the client the key is taken, since doing the work a second time is what the key is to prevent.
 */
export async function answerOnce<Prepared, Answer>(
  receipts: ReceiptStore,
  { route, content, ...maker }: RepeatableRequest,
  { prepare, write }: OnceWork<Prepared, Answer>,
): Promise<{ answer: Answer; isReplay: boolean }> {
  // The schema that validated the body has ordered its fields, so equal bodies have equal text.
  const fingerprint = createHash("sha256")
    .update(`${route}\n${JSON.stringify(content)}`)
    .digest();

  const findAnswer = async () => {
    const receipt = await receipts.findReceipt(maker.clientId, maker.key);
    if (receipt && (receipt.principal ?? maker.principal) !== maker.principal)
      throw new Refusal(
        "IDEMPOTENCY_CONFLICT",
        "The Idempotency-Key was used before by another key or person of the account; use a new one for each request",
      );
    if (receipt && !receipt.fingerprint.equals(fingerprint))
      throw new Refusal(
        "IDEMPOTENCY_CONFLICT",
        "The Idempotency-Key was used before with another request; use a new key for each",
      );
    return receipt && { answer: receipt.answer as Answer, isReplay: true };
  };

  const earlier = await findAnswer();
  if (earlier) return earlier;
  try {
    const prepared = await prepare();
    const answer = await receipts.keepAnswer({ ...maker, fingerprint }, (stores) => write(stores, prepared));
    return { answer, isReplay: false };
  } catch (error) {
    const answered = error instanceof ReceiptTaken ? await findAnswer() : undefined;
    if (!answered) throw error;
    return answered;
  }
}
