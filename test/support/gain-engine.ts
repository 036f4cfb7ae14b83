import { setImmediate } from "node:timers/promises";
import { EngineError, type EngineProcess, type SpanHooks } from "@stemwright/engine";
import { RemoteSpans } from "../../packages/engine/process/remote-spans.ts";
import { runRequest } from "../../packages/engine/request/run-request.ts";
import { runSpan } from "../../packages/engine/separation/spans/run-span.ts";
import type { SpanExchange } from "../../packages/engine/separation/spans/span-exchange.ts";
import { GainNetwork, makeGainManifest } from "../../packages/engine/support/gain-network.ts";
import type { RunEngine } from "./test-worker.ts";

const SEGMENT_FRAMES = 200_000;

/** The real engine in this process, with a network that only attenuates its input: vocals are half of it. */
export function makeGainEngine(
  options: { beforeSegment?: (index: number) => Promise<void> } = {},
): RunEngine {
  return makeGainEngines(options).run;
}

/** The same, also making spans for others. */
export function makeGainEngines({
  beforeSegment,
  segmentFrames = SEGMENT_FRAMES,
  sampleRateHz,
}: {
  beforeSegment?: (index: number, signal: AbortSignal | undefined) => Promise<void>;
  segmentFrames?: number;
  sampleRateHz?: number;
}): { run: RunEngine; runSpan: EngineProcess["runSpan"]; segments: () => number } {
  const network = new GainNetwork(segmentFrames);
  const separate = network.separate.bind(network);
  const manifests = [makeGainManifest(segmentFrames, sampleRateHz)];
  let segments = 0;
  let signal: AbortSignal | undefined;
  network.separate = async (...args) => {
    // Lets previews run, as they do while a network runs in its thread.
    for (let turn = 0; turn < 30; turn++) await setImmediate();
    const index = segments++;
    await beforeSegment?.(index, signal);
    // As after a kill.
    if (signal?.aborted) throw new EngineError("cancelled", "The work was cancelled.");
    return await separate(...args);
  };
  return {
    run(request, hooks = {}) {
      ({ signal } = hooks);
      const spans = hooks.spans && withShares(hooks.spans);
      return runRequest(request, { networks: network, manifests, report: hooks, spans });
    },
    runSpan(request, { onProgress = () => {}, ...hooks } = {}) {
      ({ signal } = hooks);
      return runSpan(request, { networks: network, manifests, onProgress });
    },
    segments: () => segments,
  };
}

/** The span exchange as an engine process sees it. */
function withShares({ offer, take }: SpanHooks): SpanExchange {
  const remote = new RemoteSpans((message) => {
    if (message.kind === "spans-offered")
      offer(message.parts, (shares) => remote.receive({ kind: "spans-elsewhere", shares }));
  });
  return {
    offer: (parts) => remote.offer(parts),
    take,
    shareElsewhere: (span) => remote.shareElsewhere(span),
    onElsewhere: (listener) => remote.onElsewhere(listener),
  };
}
