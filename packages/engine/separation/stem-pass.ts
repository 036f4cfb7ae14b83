import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import { ShiftedSource } from "../dsp/sources/shifted-source.ts";
import { forEachAtOnce } from "../files/for-each-at-once.ts";
import type { StemNetworks } from "../networks/stem-network.ts";
import type { PreviewWriter } from "../previews/preview-writer.ts";
import { renderTarget } from "../rendering/render-target.ts";
import type { RenderResult } from "../rendering/write-sounds.ts";
import type { SoundTarget } from "../targets/engine-request.ts";
import type { PlannedSound, StemPass } from "../targets/plan-targets.ts";
import type { TargetOutcomes } from "../targets/target-outcomes.ts";
import { planChannelGroups } from "./channel-groups.ts";
import { runNetworkPass } from "./network-pass.ts";
import { toNetworkShape, toStartFrame } from "./pass-identity.ts";
import { describeSpools, openReadStem, type SpoolFacts, type SpoolPlace } from "./pass-spools.ts";
import { previewStem } from "./preview-stem.ts";
import type { PassSpans } from "./spans/segment-range.ts";
import { hasPass, openSound } from "./stem-sound.ts";
import type { WriteProgress } from "./write-progress.ts";

/** Each has a separate encoder process, which takes as long to start as to write half a minute of audio. */
const RENDERS_AT_ONCE = 4;

/** What rendering reads: the spools, and the client's file for its picture. */
type RenderRun = SpoolPlace & { networks: StemNetworks; inputPath: string };

export type StemPassRun = SpoolFacts &
  RenderRun & {
    previews: Pick<PreviewWriter, "follow"> | undefined;
    outcomes: TargetOutcomes;
    makeRenderStage: (target: SoundTarget) => (fraction: number) => void;
  };

/**
 * Runs a network once over its input. If that is a stem of another pass, it follows that pass as closely as possible. Targets that are complete after
 * this pass are rendered while the next one runs.
 */
export async function runStemPass(
  run: StemPassRun,
  pass: StemPass,
  {
    own,
    readPass,
    spans,
    onProgress,
  }: {
    own: WriteProgress;
    readPass: WriteProgress | undefined;
    spans?: PassSpans | undefined;
    onProgress: (fraction: number) => void;
  },
): Promise<{ rendering: Promise<void> }> {
  const { manifest, startShare } = pass;
  // First, so that the network it reads from has started before this one is loaded.
  await readPass?.reached(0);
  const { network } = await run.networks.getNetwork(manifest);
  using opened = new DisposableStack();
  const read = openReadStem(run, pass.reads, opened);
  const input = toSampleRate(read, toNetworkShape(run.input, manifest));
  const startFrame = toStartFrame(manifest, startShare);
  const isSameRate = read.sampleRateHz === input.sampleRateHz;
  if (run.previews)
    for (const planned of pass.targets) previewStem(run.previews, run, { pass, planned, own });
  if (hasPass(manifest, startShare, input)) {
    await runNetworkPass({
      ...(await describeSpools(run, pass)),
      network,
      input: new ShiftedSource(input, -startFrame),
      channelGroups: planChannelGroups(run.input.info),
      ...(spans && { spans }),
      ...(readPass && {
        whenReadable: (endFrame) => readPass.reached(isSameRate ? startFrame + endFrame : read.lengthFrames),
      }),
      onSpooled: (lengthFrames) => own.rise(lengthFrames),
      onProgress,
    });
  }
  own.rise(Number.POSITIVE_INFINITY);
  return { rendering: renderTargets(run, pass) };
}

async function renderTargets(
  { outcomes, makeRenderStage, ...run }: StemPassRun,
  pass: StemPass,
): Promise<void> {
  await forEachAtOnce(pass.targets, RENDERS_AT_ONCE, (planned) => {
    const onProgress = makeRenderStage(planned.target);
    return outcomes.finish(planned.target, () =>
      render(run, { pass, planned, onProgress }).finally(() => onProgress(1)),
    );
  });
}

async function render(
  run: RenderRun,
  work: {
    pass: StemPass;
    planned: PlannedSound;
    onProgress: (fraction: number) => void;
  },
): Promise<RenderResult> {
  const { pass, planned, onProgress } = work;
  const { manifest, reads } = pass;
  const { target } = planned;
  const { runsOn } = await run.networks.getNetwork(manifest);
  const readProvenance = reads && {
    manifest: reads.pass.manifest,
    stem: reads.stem,
    runsOn: (await run.networks.getNetwork(reads.pass.manifest)).runsOn,
  };
  using sound = openSound(run, pass, planned);
  return await renderTarget({
    target,
    stem: sound.source,
    input: run.input.source,
    info: run.input.info,
    inputPath: run.inputPath,
    provenance: {
      target,
      manifest,
      source: readProvenance,
      runsOn,
      passCount: sound.passCount,
    },
    onProgress,
  });
}
