import type { FrameSource } from "../dsp/frame-source.ts";
import { EngineError, type EngineErrorKind } from "../engine-error.ts";
import type { MusicNetworks } from "../networks/music-networks.ts";
import type { SpeechNetworks } from "../networks/speech-networks.ts";
import type { NetworkSource } from "../networks/stem-network.ts";
import type { VoiceNetworks } from "../networks/voice-networks.ts";
import type { DecodedInput } from "./decoded-input.ts";
import type { EngineReport, EngineRequest, EngineTarget, TargetResult } from "./engine-request.ts";
import type { Previews } from "./previews/previews.ts";
import type { StageProgress } from "./stage-progress.ts";
import type { StemCache } from "./stem-cache.ts";
import type { TargetWaits } from "./target-waits.ts";
import { toSystemError } from "./to-engine-error.ts";

export type Networks = NetworkSource & SpeechNetworks & MusicNetworks & VoiceNetworks;

/** What every pass over an input works with. */
export type InputRun = {
  request: EngineRequest;
  networks: Networks;
  report: EngineReport;
  decoded: DecodedInput;
  input: FrameSource;
  progress: StageProgress;
  /** Which targets wait for which stage. */
  waits: TargetWaits;
  stemCache: StemCache | undefined;
  previews: Previews | undefined;
};

/** Does the last of a target's work and reports how it ended; one that cannot be finished leaves the others to go on. */
export async function finishTarget(
  run: InputRun,
  target: EngineTarget,
  finish: () => Promise<Omit<TargetResult, "durationSeconds"> | undefined>,
): Promise<void> {
  const { lengthFrames, sampleRateHz } = run.decoded.info;
  try {
    const result = await finish();
    await run.previews?.whenWritten(target.key);
    await run.report.onTargetDone?.(target.key, { durationSeconds: lengthFrames / sampleRateHz, ...result });
  } catch (error) {
    const known = toSystemError(error);
    if (!(known instanceof EngineError)) throw error;
    await run.report.onTargetFailed?.(target.key, known);
  }
}

const NETWORK_FAILURES: readonly EngineErrorKind[] = ["model-missing", "model-failed", "out-of-memory"];

/**
 * Does what needs a network. One that can't be had, or fails, is reported for the targets that need it and given back: those of other
 * networks go on. Whatever else goes wrong rejects.
 */
export async function tryNetwork(
  run: InputRun,
  targets: readonly EngineTarget[],
  work: () => Promise<void>,
): Promise<EngineError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const known = toSystemError(error);
    if (!(known instanceof EngineError && NETWORK_FAILURES.includes(known.kind))) throw error;
    for (const { key } of targets) await run.report.onTargetFailed?.(key, known);
    return known;
  }
}
