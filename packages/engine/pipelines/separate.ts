import { join } from "node:path";
import { MeanSource } from "../dsp/mean-source.ts";
import { toSampleRate } from "../dsp/resampled-source.ts";
import { ShiftedSource } from "../dsp/shifted-source.ts";
import type { ExecutionProvider } from "../runtime/execution-provider.ts";
import type { StemManifest } from "../runtime/model-manifest.ts";
import { forEachAtOnce } from "./for-each-at-once.ts";
import { finishTarget, type InputRun } from "./input-run.ts";
import { planLanes } from "./lanes.ts";
import { runNetworkPass, spoolPath } from "./network-pass.ts";
import { PcmFileSource } from "./pcm-file-source.ts";
import { getServiceStem, type PlannedSound, type StemPass } from "./plan-targets.ts";
import { renderTarget, toServiceSource } from "./render-target.ts";

/** How long passes take: a second of stereo in seconds of the machine, as measured; for the progress only. */
const SECONDS_OF_FAMILY: Record<StemManifest["family"], number> = { htdemucs: 0.4, "band-split": 0.6 };
const RENDER_SECONDS = 0.012;
/** Each has an encoder process of its own, which takes as long to start as to write half a minute. */
const RENDERS_AT_ONCE = 2;

export function weighStemPass({ manifest, targets }: StemPass): number {
  return SECONDS_OF_FAMILY[manifest.family] + targets.length * RENDER_SECONDS;
}

/** Runs a network over the input once and renders every target that is complete with it. */
export async function runStemPass(run: InputRun, pass: StemPass): Promise<void> {
  const { manifest, delayShare, stems, targets } = pass;
  const { info, sha256 } = run.decoded;
  const input = toSampleRate(run.input, { sampleRateHz: manifest.sampleRateHz });
  const { network, executionProvider } = await run.networks.getNetwork(manifest);
  await runNetworkPass({
    network,
    overlapShare: manifest.overlapShare,
    input: new ShiftedSource(input, toDelayFrames(manifest, delayShare)),
    lanes: planLanes(info),
    stems,
    folder: stemFolder(run, manifest, delayShare),
    identity: {
      model: manifest.id,
      weightsSha256: manifest.weights.sha256,
      delayShare,
      executionProvider,
      inputSha256: sha256,
    },
    cache: run.stemCache && run.request.cacheUser && { stems: run.stemCache, user: run.request.cacheUser },
    onProgress: run.progress.makeStage(SECONDS_OF_FAMILY[manifest.family]),
  });
  await forEachAtOnce(targets, RENDERS_AT_ONCE, (planned) =>
    finishTarget(run, planned.target, () => render(run, { manifest, executionProvider, planned })),
  );
}

/** A stem that a pass has finished, at the network's rate and with the pass's delay at its start. */
export function openStem(run: InputRun, manifest: StemManifest, stem: string, delayShare = 0): PcmFileSource {
  const { sampleRateHz } = manifest;
  const { lengthFrames } = toSampleRate(run.input, { sampleRateHz });
  return new PcmFileSource(spoolPath(stemFolder(run, manifest, delayShare), stem), {
    channels: run.decoded.info.channels,
    sampleRateHz,
    lengthFrames: lengthFrames + toDelayFrames(manifest, delayShare),
  });
}

function stemFolder(run: InputRun, manifest: StemManifest, delayShare: number): string {
  return join(run.request.workDir, manifest.id, delayShare === 0 ? "plain" : `delayed-${delayShare}`);
}

/** A pass that begins before the input does cuts it into other segments, about which the network errs differently. */
function toDelayFrames({ segmentFrames }: StemManifest, delayShare: number): number {
  return Math.round(delayShare * segmentFrames);
}

async function render(
  run: InputRun,
  work: { manifest: StemManifest; executionProvider: ExecutionProvider; planned: PlannedSound },
): Promise<void> {
  const { info } = run.decoded;
  const { manifest, executionProvider } = work;
  const { target, service, delayShares } = work.planned;
  const onProgress = run.progress.makeStage(RENDER_SECONDS);
  using opened = new DisposableStack();
  const stems = delayShares.map((delayShare) => {
    const spool = opened.use(openStem(run, manifest, getServiceStem(service), delayShare));
    return new ShiftedSource(spool, -toDelayFrames(manifest, delayShare));
  });
  await renderTarget({
    target,
    stem: toServiceSource(service, toSampleRate(new MeanSource(stems), info), run.input),
    input: run.input,
    info,
    inputPath: run.request.inputPath,
    provenance: { target, manifest, executionProvider, passCount: delayShares.length },
    onProgress,
  });
  onProgress(1);
}
