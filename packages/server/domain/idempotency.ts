import { createHash } from "node:crypto";
import { ApiError } from "@stemwright/contract";

/** What tells a repeated request from another one under the same key. */
export type Receipt = { key: string; fingerprint: Buffer };

export interface ReceiptStore {
  /** What was answered under the key within the last day. */
  findReceipt(clientId: string, key: string): Promise<{ fingerprint: Buffer; answer: string } | undefined>;
}

/** Another request under the same key was answered first; nothing of this one was kept. */
export class ReceiptTaken extends Error {
  override readonly name = "ReceiptTaken";
}

/**
 * Answers a request once, however often it is sent. `work` writes the receipt in the transaction that does the work: of two
 * that run at once the database lets one wait for the other, and one that dies leaves no trace. Failures are not kept.
 */
export async function answerOnce(
  receipts: ReceiptStore,
  request: { clientId: string; key: string; route: string; body: unknown },
  work: (receipt: Receipt) => Promise<unknown>,
): Promise<{ answer: unknown; isReplay: boolean }> {
  const { clientId, key } = request;
  // The schema that checked the body has put its fields in order, so equal bodies give equal text.
  const fingerprint = createHash("sha256")
    .update(`${request.route}\n${JSON.stringify(request.body)}`)
    .digest();

  const findAnswer = async () => {
    const receipt = await receipts.findReceipt(clientId, key);
    if (receipt && !receipt.fingerprint.equals(fingerprint))
      throw new ApiError(
        "IDEMPOTENCY_CONFLICT",
        "The Idempotency-Key was used before with another request; use a new key for each",
      );
    return receipt && { answer: JSON.parse(receipt.answer) as unknown, isReplay: true };
  };

  const earlier = await findAnswer();
  if (earlier) return earlier;
  try {
    return { answer: await work({ key, fingerprint }), isReplay: false };
  } catch (error) {
    const answered = error instanceof ReceiptTaken ? await findAnswer() : undefined;
    if (!answered) throw error;
    return answered;
  }
}
