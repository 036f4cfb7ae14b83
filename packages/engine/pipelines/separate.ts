import { join } from "node:path";
import type { FrameSource } from "../dsp/frame-source.ts";
import { toSampleRate } from "../dsp/resampled-source.ts";
import { EngineError } from "../engine-error.ts";
import type { NetworkSource } from "../models/stem-network.ts";
import type { ExecutionProvider } from "../runtime/execution-provider.ts";
import type { StemManifest } from "../runtime/model-manifest.ts";
import { type DecodedInput, loadDecodedInput } from "./decoded-input.ts";
import { planLanes } from "./lanes.ts";
import { runNetworkPass, spoolPath } from "./network-pass.ts";
import { PcmFileSource } from "./pcm-file-source.ts";
import { getServiceStem, type PlannedPass, type PlannedTarget, planSeparation } from "./plan-separation.ts";
import { renderTarget, toServiceSource } from "./render-target.ts";
import type { SeparateReport, SeparateRequest } from "./separate-request.ts";
import { StageProgress } from "./stage-progress.ts";
import { toSystemError } from "./to-engine-error.ts";

/** Shares of the whole request's time, as measured on a three-minute song with five targets in wav. */
const DECODE_WEIGHT = 0.01;
const NETWORK_WEIGHT = 0.94;
const RENDER_WEIGHT = 0.05;

type Run = {
  request: SeparateRequest;
  networks: NetworkSource;
  report: SeparateReport;
  decoded: DecodedInput;
  input: FrameSource;
  progress: StageProgress;
  /** Shares that one pass and one target have of all of them. */
  passWeight: number;
  targetWeight: number;
};

/**
 * Decodes the input once, runs each needed network once, and renders every target from its stems. Input and
 * network errors reject; a target that cannot be written is reported and the others go on.
 */
export async function separate(
  request: SeparateRequest,
  options: { networks: NetworkSource; manifests: readonly StemManifest[]; report: SeparateReport },
): Promise<void> {
  const { networks, manifests, report } = options;
  const plan = planSeparation(request.targets, manifests);
  for (const { target, error } of plan.refused) await report.onTargetFailed?.(target.key, error);
  if (plan.passes.length === 0) return;
  const progress = new StageProgress((fraction) => report.onProgress?.(fraction), 1);
  try {
    const decoded = await loadDecodedInput({ ...request, onProgress: progress.makeStage(DECODE_WEIGHT) });
    await report.onInput?.(decoded.info);
    using input = new PcmFileSource(decoded.pcmPath, decoded.info);
    const targetCount = request.targets.length - plan.refused.length;
    const passWeight = NETWORK_WEIGHT / plan.passes.length;
    const targetWeight = RENDER_WEIGHT / targetCount;
    const run: Run = { request, networks, report, decoded, input, progress, passWeight, targetWeight };
    for (const pass of plan.passes) await runPass(run, pass);
  } catch (error) {
    throw toSystemError(error);
  }
}

async function runPass(run: Run, pass: PlannedPass): Promise<void> {
  const { manifest, stems, targets } = pass;
  const { info, sha256 } = run.decoded;
  const folder = join(run.request.workDir, manifest.id);
  const input = toSampleRate(run.input, { sampleRateHz: manifest.sampleRateHz });
  const { network, executionProvider } = await run.networks.getNetwork(manifest);
  await runNetworkPass({
    network,
    overlapShare: manifest.overlapShare,
    input,
    lanes: planLanes(info),
    stems,
    folder,
    identity: {
      model: manifest.id,
      weightsSha256: manifest.weights.sha256,
      executionProvider,
      inputSha256: sha256,
    },
    onProgress: run.progress.makeStage(run.passWeight),
  });
  for (const planned of targets) {
    const path = spoolPath(folder, getServiceStem(planned.service));
    using spool = new PcmFileSource(path, {
      channels: info.channels,
      sampleRateHz: manifest.sampleRateHz,
      lengthFrames: input.lengthFrames,
    });
    await finishTarget(run, { manifest, executionProvider, planned, spool });
  }
}

async function finishTarget(
  run: Run,
  work: {
    manifest: StemManifest;
    executionProvider: ExecutionProvider;
    planned: PlannedTarget;
    spool: FrameSource;
  },
): Promise<void> {
  const { info } = run.decoded;
  const { manifest, executionProvider } = work;
  const { target, service } = work.planned;
  const stem = toSampleRate(work.spool, info);
  const onProgress = run.progress.makeStage(run.targetWeight);
  try {
    const files = await renderTarget({
      target,
      stem: toServiceSource(service, stem, run.input),
      input: run.input,
      info,
      inputPath: run.request.inputPath,
      provenance: { target, manifest, executionProvider },
      onProgress,
    });
    onProgress(1);
    await run.report.onTargetDone?.(target.key, {
      durationSeconds: info.lengthFrames / info.sampleRateHz,
      files,
    });
  } catch (error) {
    const known = toSystemError(error);
    if (!(known instanceof EngineError)) throw error;
    await run.report.onTargetFailed?.(target.key, known);
  }
}
