import { join } from "node:path";
import { subtractPlanes } from "../dsp/difference-source.ts";
import type { FrameSource } from "../dsp/frame-source.ts";
import { MeanSource } from "../dsp/mean-source.ts";
import { release } from "../dsp/release.ts";
import { toSampleRate } from "../dsp/resampled-source.ts";
import { ShiftedSource } from "../dsp/shifted-source.ts";
import type { StemManifest } from "../runtime/manifest.ts";
import { forEachAtOnce } from "./for-each-at-once.ts";
import { finishTarget, type InputRun } from "./input-run.ts";
import { planLanes } from "./lanes.ts";
import { type PassSpools, runNetworkPass, spoolPath } from "./network-pass.ts";
import { identifyPass, toNetworkShape, toPassName, toStartFrame } from "./pass-identity.ts";
import { PcmFileSource } from "./pcm-file-source.ts";
import { getServiceStem, type HeardStem, type PlannedSound, type StemPass } from "./plan-targets.ts";
import { renderTarget, toServiceSource } from "./render-target.ts";
import type { PassSpans } from "./spans/segment-range.ts";
import type { SpoolGauge } from "./spool-gauge.ts";
import type { RenderResult } from "./write-sounds.ts";

/** How long a stem of a second of stereo takes to be written, as `passSeconds` of the networks. */
export const RENDER_SECONDS = 0.008;
/** Each has an encoder process of its own, which takes as long to start as to write half a minute. */
const RENDERS_AT_ONCE = 4;

/**
 * Runs a network over what it hears once; where that is a stem of another pass, as far behind it as it must. The targets that are complete with it are
 * rendered while the next pass runs.
 */
export async function runStemPass(
  run: InputRun,
  pass: StemPass,
  {
    own,
    heardPass,
    spans,
    onProgress,
  }: {
    own: SpoolGauge;
    heardPass: SpoolGauge | undefined;
    spans?: PassSpans | undefined;
    onProgress: (fraction: number) => void;
  },
): Promise<{ rendering: Promise<void> }> {
  const { manifest, startShare } = pass;
  // First, so that the network that is heard has begun before this one is read.
  await heardPass?.reached(0);
  const { network } = await run.networks.getNetwork(manifest);
  using opened = new DisposableStack();
  const heard = openHeard(run, pass.hears, opened);
  const input = toSampleRate(heard, toNetworkShape(run, manifest));
  const startFrame = toStartFrame(manifest, startShare);
  const isSameRate = heard.sampleRateHz === input.sampleRateHz;
  for (const planned of pass.targets) previewTarget(run, { pass, planned, own });
  if (hasPass(manifest, startShare, input)) {
    await runNetworkPass({
      ...(await describeSpools(run, pass)),
      network,
      input: new ShiftedSource(input, -startFrame),
      lanes: planLanes(run.decoded.info),
      ...(spans && { spans }),
      ...(heardPass && {
        whenReadable: (endFrame) =>
          heardPass.reached(isSameRate ? startFrame + endFrame : heard.lengthFrames),
      }),
      onSpooled: (lengthFrames) => own.rise(lengthFrames),
      onProgress,
    });
  }
  own.rise(Number.POSITIVE_INFINITY);
  return { rendering: renderTargets(run, pass) };
}

/** Where a pass spools what it makes of the input, and what decides that. */
export async function describeSpools(run: InputRun, pass: StemPass): Promise<PassSpools> {
  const { manifest, startShare, stems } = pass;
  const { network } = await run.networks.getNetwork(manifest);
  const { lengthFrames } = toNetworkShape(run, manifest);
  return {
    network,
    overlapShare: manifest.overlapShare,
    input: {
      channels: run.decoded.info.channels,
      lengthFrames: lengthFrames - toStartFrame(manifest, startShare),
    },
    stems,
    folder: stemFolder(run, manifest, startShare),
    identity: await identifyPass(run, pass),
    cache: run.stemCache && run.request.cacheUser && { stems: run.stemCache, user: run.request.cacheUser },
  };
}

async function renderTargets(run: InputRun, pass: StemPass): Promise<void> {
  await forEachAtOnce(pass.targets, RENDERS_AT_ONCE, (planned) => {
    const onProgress = run.progress.makeStageBeside(RENDER_SECONDS, run.waits.forRender(planned.target));
    return finishTarget(run, planned.target, () =>
      render(run, { pass, planned, onProgress }).finally(() => onProgress(1)),
    );
  });
}

/** What a network hears: the input, or a stem that an earlier pass has finished. */
function openHeard(run: InputRun, hears: HeardStem | undefined, opened: DisposableStack): FrameSource {
  return hears === undefined ? run.input : opened.use(openStem(run, hears.pass.manifest, hears.stem));
}

/** A stem that a pass has finished, at the network's rate and from the frame on at which the pass starts. */
export function openStem(run: InputRun, manifest: StemManifest, stem: string, startShare = 0): PcmFileSource {
  const { sampleRateHz, lengthFrames } = toNetworkShape(run, manifest);
  return new PcmFileSource(spoolPath(stemFolder(run, manifest, startShare), stem), {
    channels: run.decoded.info.channels,
    sampleRateHz,
    lengthFrames: lengthFrames - toStartFrame(manifest, startShare),
  });
}

function stemFolder(run: InputRun, manifest: StemManifest, startShare: number): string {
  return join(run.request.workDir, toPassName({ manifest, startShare }));
}

/** A later pass that would not fill a segment hears less than the first one did, and would only do harm. */
function hasPass(manifest: StemManifest, startShare: number, input: FrameSource): boolean {
  return (
    startShare === 0 || input.lengthFrames - toStartFrame(manifest, startShare) >= manifest.segmentFrames
  );
}

/** The mean of the passes' stems, as far as there are such passes. */
function openMeanStem(
  run: InputRun,
  { manifest, planned }: { manifest: StemManifest; planned: PlannedSound },
): { stem: FrameSource; passCount: number } & Disposable {
  const stem = getServiceStem(planned.service);
  const opened = new DisposableStack();
  const whole = opened.use(openStem(run, manifest, stem));
  const others = planned.startShares
    .filter((startShare) => startShare > 0 && hasPass(manifest, startShare, whole))
    .map((startShare) => ({
      source: opened.use(openStem(run, manifest, stem, startShare)),
      startFrame: toStartFrame(manifest, startShare),
    }));
  return {
    stem:
      others.length === 0 ? whole : new MeanSource(whole, { others, fadeFrames: manifest.segmentFrames / 8 }),
    passCount: 1 + others.length,
    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** What a target gives, at the input's rate and as long as it. */
function openSound(
  run: InputRun,
  { manifest, hears }: StemPass,
  planned: PlannedSound,
): { source: FrameSource; passCount: number } & Disposable {
  const opened = new DisposableStack();
  const { info } = run.decoded;
  const heard = toSampleRate(openHeard(run, hears, opened), info);
  const { stem, passCount } = opened.use(openMeanStem(run, { manifest, planned }));
  return {
    source: toServiceSource(planned.service, toSampleRate(stem, info), heard),
    passCount,
    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** Frames of the network that lie beyond those that become one frame of the input, in frames of the lower rate: more than resampling looks ahead. */
const LOOK_AHEAD_FRAMES = 256;

/** Previews of a target grow with the pass that completes it; those it is averaged with came before. */
function previewTarget(
  run: InputRun,
  { pass, planned, own }: { pass: StemPass; planned: PlannedSound; own: SpoolGauge },
): void {
  const { key, files } = planned.target;
  const outputs = new Set(files.map(({ output }) => output));
  const shape = toNetworkShape(run, pass.manifest);
  const framesPerFrame = shape.sampleRateHz / run.input.sampleRateHz;
  const aheadFrames = framesPerFrame === 1 ? 0 : LOOK_AHEAD_FRAMES * Math.max(1, framesPerFrame);
  const startFrame = toStartFrame(pass.manifest, pass.startShare);
  run.previews?.follow(key, {
    tracks: [...outputs].map((output) => (output === "stem" ? key : `${key}-residual`)),
    whenReadable(endFrame) {
      const needed = Math.min(shape.lengthFrames, Math.ceil(endFrame * framesPerFrame + aheadFrames));
      return own.reached(endFrame === 0 ? 0 : Math.max(0, needed - startFrame));
    },
    open() {
      const sound = openSound(run, pass, planned);
      return {
        read(start, length) {
          const planes = sound.source.read(start, length);
          if (!outputs.has("residual")) return [planes];
          const whole = run.input.read(start, length);
          const residual = subtractPlanes(whole, planes);
          release(whole);
          return [...outputs].map((output) => (output === "stem" ? planes : residual));
        },
        [Symbol.dispose]: () => sound[Symbol.dispose](),
      };
    },
  });
}

async function render(
  run: InputRun,
  work: {
    pass: StemPass;
    planned: PlannedSound;
    onProgress: (fraction: number) => void;
  },
): Promise<RenderResult> {
  const { pass, planned, onProgress } = work;
  const { info } = run.decoded;
  const { manifest, hears } = pass;
  const { target } = planned;
  const { runsOn } = await run.networks.getNetwork(manifest);
  const heardProvenance = hears && {
    manifest: hears.pass.manifest,
    stem: hears.stem,
    runsOn: (await run.networks.getNetwork(hears.pass.manifest)).runsOn,
  };
  using sound = openSound(run, pass, planned);
  return await renderTarget({
    target,
    stem: sound.source,
    input: run.input,
    info,
    inputPath: run.request.inputPath,
    provenance: {
      target,
      manifest,
      heard: heardProvenance,
      runsOn,
      passCount: sound.passCount,
    },
    onProgress,
  });
}
