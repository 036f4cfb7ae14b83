import { setTimeout as sleep } from "node:timers/promises";
import type { ApiError } from "@stemwright/contract";
import type { WaitingResult } from "../run-waiting-task.ts";
import { parseTranscriptJson } from "../transcript.ts";
import { toOpenAiError } from "./openai-errors.ts";
import { toTranscription } from "./transcription-answers.ts";

/** Proxies close connections that are quiet for longer. */
const KEEP_ALIVE_MS = 15_000;

const toEvent = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

/** Sends comments until the promise has settled. */
async function* keepAlive(settled: Promise<unknown>): AsyncGenerator<string> {
  const waking = new AbortController();
  const wake = () => waking.abort();
  settled.then(wake, wake);
  while (!waking.signal.aborted) {
    yield ": keep-alive\n\n";
    await sleep(KEEP_ALIVE_MS, undefined, { signal: waking.signal }).catch(() => {});
  }
}

/**
 * A transcription as OpenAI streams it: `transcript.text.delta` per line, `transcript.text.done` with the whole text. The lines come together: words and
 * times are final only once everything is transcribed.
 */
export async function* makeTranscriptEvents(
  answering: Promise<WaitingResult>,
  onError: (error: unknown) => ApiError,
): AsyncGenerator<string> {
  yield* keepAlive(answering);
  try {
    const result = await answering;
    for (const { text } of parseTranscriptJson(result.content).lines)
      yield toEvent({ type: "transcript.text.delta", delta: text });
    yield toEvent({ type: "transcript.text.done", ...toTranscription(result) });
    yield "data: [DONE]\n\n";
  } catch (error) {
    // The status has been sent: clients detect a failure by this field.
    yield toEvent(toOpenAiError(onError(error)));
  }
}
