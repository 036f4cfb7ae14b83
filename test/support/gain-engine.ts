import { setImmediate } from "node:timers/promises";
import { GainNetwork, makeGainManifest } from "../../packages/engine/pipelines/fixtures/gain-network.ts";
import { runRequest } from "../../packages/engine/pipelines/run-request.ts";
import type { RunEngine } from "./test-worker.ts";

const SEGMENT_FRAMES = 200_000;

/** The engine itself in this process, with a network that only turns its input down: vocals are half of it. */
export function makeGainEngine(
  options: { beforeSegment?: (index: number) => Promise<void> } = {},
): RunEngine {
  const network = new GainNetwork(SEGMENT_FRAMES);
  const separate = network.separate.bind(network);
  let segments = 0;
  network.separate = async (...args) => {
    // Previews have their turn, as they do beside a network in a thread of its own.
    for (let turn = 0; turn < 30; turn++) await setImmediate();
    await options.beforeSegment?.(segments++);
    return await separate(...args);
  };
  return (request, hooks = {}) =>
    runRequest(request, {
      networks: network,
      manifests: [makeGainManifest(SEGMENT_FRAMES)],
      report: hooks,
    });
}
