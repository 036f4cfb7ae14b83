import { createHash } from "node:crypto";
import { Refusal } from "../refusal.ts";

import type { Stores } from "../stores.ts";

/** What tells a repeated request from another one under the same key. */
export type Receipt = { clientId: string; key: string; fingerprint: Buffer };

export interface ReceiptStore {
  /** What was answered under the key within the last day. */
  findReceipt(clientId: string, key: string): Promise<{ fingerprint: Buffer; answer: unknown } | undefined>;
  /**
   * Does the work over stores that are bound to one transaction, which also keeps the answer. Waits for another that does
   * work under the same key, and fails with `ReceiptTaken` when that one was answered.
   */
  keepAnswer<Answer>(receipt: Receipt, work: (stores: Stores) => Promise<Answer>): Promise<Answer>;
}

/** Another request under the same key was answered first; nothing of this one was kept. */
export class ReceiptTaken extends Error {
  override readonly name = "ReceiptTaken";
}

/** What a request is: its route with the parameters, and its body. */
export type RepeatableRequest = { clientId: string; key: string; route: string; content: unknown };

/** What takes long or reaches elsewhere is prepared outside of the transaction that writes. */
export type OnceWork<Prepared, Answer> = {
  prepare(): Promise<Prepared>;
  write(stores: Stores, prepared: Prepared): Promise<Answer>;
};

/**
 * Answers a request once, however often it is sent. The receipt is written in the transaction that does the work: of two that
 * run at once the database lets one wait for the other, and one that dies leaves no trace. Failures are not kept.
 */
export async function answerOnce<Prepared, Answer>(
  receipts: ReceiptStore,
  { clientId, key, route, content }: RepeatableRequest,
  { prepare, write }: OnceWork<Prepared, Answer>,
): Promise<{ answer: Answer; isReplay: boolean }> {
  // The schema that checked the body has put its fields in order, so equal bodies give equal text.
  const fingerprint = createHash("sha256")
    .update(`${route}\n${JSON.stringify(content)}`)
    .digest();

  const findAnswer = async () => {
    const receipt = await receipts.findReceipt(clientId, key);
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
    const answer = await receipts.keepAnswer({ clientId, key, fingerprint }, (stores) =>
      write(stores, prepared),
    );
    return { answer, isReplay: false };
  } catch (error) {
    const answered = error instanceof ReceiptTaken ? await findAnswer() : undefined;
    if (!answered) throw error;
    return answered;
  }
}
