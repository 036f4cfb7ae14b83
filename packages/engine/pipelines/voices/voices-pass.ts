import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { subtractPlanes } from "../../dsp/difference-source.ts";
import { type FrameSource, toWrittenSeconds } from "../../dsp/frame-source.ts";
import { MonoSource } from "../../dsp/mono-source.ts";
import { toSampleRate } from "../../dsp/resampled-source.ts";
import { NOBODY, PAIR, STEPS_PER_SECOND, type Turns } from "../../networks/voices/find-voices.ts";
import { listVoiceRuns } from "../../networks/voices/list-voice-runs.ts";
import {
  listChanges,
  planTurns,
  refineChange,
  type VoicePlan,
} from "../../networks/voices/refine-changes.ts";
import { measureStreams, noteHighShares } from "../../networks/voices/stream-power.ts";
import { findSimultaneity, isTogether, planTogether } from "../../networks/voices/talk-together.ts";
import { makeGains } from "../../networks/voices/voice-gains.ts";
import {
  SAMPLE_RATE_HZ,
  toMono,
  type VoicePair,
  type VoiceSeparator,
  WINDOW_FRAMES,
} from "../../networks/voices/voice-separator.ts";
import type { Manifest, VoiceManifest } from "../../runtime/manifest.ts";
import type { SoundOutput, VoicesTarget } from "../engine-request.ts";
import { finishTarget, type InputRun, tryNetwork } from "../input-run.ts";
import type { VoicesPass } from "../plan-targets.ts";
import { prepareSpoolFolder } from "../spool-folder.ts";
import { RENDER_SECONDS } from "../stem-pass.ts";
import { type RenderResult, writeSounds } from "../write-sounds.ts";
import { LISTEN_SECONDS, listenForVoices } from "./listen-for-voices.ts";
import { openVoiceSounds, VoiceSource } from "./voice-source.ts";
import { listWindows, spoolVoices, VoiceStreams } from "./voice-streams.ts";
import { type VoiceSegment, writeVoices } from "./write-voices.ts";

/** Raised whenever the same input and weights would give other samples. */
const SPOOL_VERSION = 1;
const TWO_SPEAKERS = "two_speaker";
const N_SPEAKERS = "n_speaker";
const STEP_FRAMES = SAMPLE_RATE_HZ / STEPS_PER_SECOND;
const PROBES = 5;
/** A minute at once. */
const MEASURED_STEPS = 60 * STEPS_PER_SECOND;

export function weighVoicesPass({ manifest, targets }: VoicesPass): number {
  const variants = new Set(targets.map(getVariant));
  return variants.size * (LISTEN_SECONDS + manifest.passSeconds) + targets.length * RENDER_SECONDS;
}

const getVariant = ({ variant = TWO_SPEAKERS }: VoicesTarget) => variant;

/** Finds out who speaks when, takes apart those who talk at once, and writes each voice to files of its own. */
export async function runVoicesPass(
  run: InputRun,
  pass: VoicesPass,
  manifests: readonly Manifest[],
): Promise<void> {
  for (const [variant, targets] of Map.groupBy(pass.targets, getVariant)) {
    await tryNetwork(run, targets, async () => {
      const tell = (weight: number) => run.progress.makeStage(weight, run.waits.forVoices);
      const turns = await listenForVoices(run, openRecording(run), {
        manifests,
        expected: variant === N_SPEAKERS ? {} : PAIR,
        onProgress: tell(LISTEN_SECONDS),
      });
      using separated = await separate(run, {
        manifest: pass.manifest,
        turns,
        variant,
        onProgress: tell(pass.manifest.passSeconds),
      });
      for (const target of targets) {
        const onProgress = tell(RENDER_SECONDS);
        await finishTarget(run, target, () => render(run, { target, pass, separated, onProgress }));
      }
    });
  }
}

function openRecording(run: InputRun) {
  return toSampleRate(new MonoSource(run.input), { sampleRateHz: SAMPLE_RATE_HZ, isForListening: true });
}

type Separated = Disposable & { streams: VoiceStreams; plan: VoicePlan; highShares: Float32Array };

/** Takes apart all speech where people talk at once all the time, and otherwise what is around changes of the speaker: elsewhere nobody talks into another's words. */
async function separate(
  run: InputRun,
  work: {
    manifest: VoiceManifest;
    turns: Turns;
    variant: string;
    onProgress: (fraction: number) => void;
  },
): Promise<Separated> {
  const { manifest, turns, variant, onProgress } = work;
  const source = toSampleRate(run.input, { sampleRateHz: SAMPLE_RATE_HZ });
  const { separator, runsOn } = await run.networks.getVoiceSeparator(manifest);
  const spoken = listWindows(
    (startFrame, endFrame) => hasSpeech(turns, startFrame, endFrame),
    source.lengthFrames,
  );
  const probes = await probe(separator, source, spoken);
  const together = isTogether([...probes.values()].map(findSimultaneityOfPair));
  const changes = together ? [] : listChanges(turns);
  const isNearChange = (startFrame: number, endFrame: number) =>
    changes.some(({ from, to }) => from * STEP_FRAMES < endFrame && to * STEP_FRAMES > startFrame);
  const starts = together ? spoken : listWindows(isNearChange, source.lengthFrames);
  const folder = join(run.request.workDir, manifest.id, variant);
  prepareSpoolFolder(folder, {
    version: SPOOL_VERSION,
    weightsSha256: manifest.weights.sha256,
    runsOn,
    inputSha256: run.decoded.sha256,
    windows: createHash("sha256").update(starts.join()).digest("hex"),
  });
  const path = join(folder, "voices.f32");
  await spoolVoices({ separator, source, starts, known: probes, path, onProgress });
  const streams = new VoiceStreams(path, { channels: source.channels, starts });
  const plan = together ? planTogether(turns) : planTurns(turns);
  const highShares = new Float32Array(turns.people.length).fill(0.5);
  for (const { from, to } of together ? [{ from: 0, to: turns.people.length }] : changes) {
    for (let firstStep = from; firstStep < to; firstStep += MEASURED_STEPS) {
      const stepCount = Math.min(MEASURED_STEPS, to - firstStep);
      noteHighShares(highShares, measureStreams(streams, { firstStep, stepCount }));
    }
  }
  for (const change of changes) {
    refineChange(
      plan,
      change,
      measureStreams(streams, { firstStep: change.from, stepCount: change.to - change.from }),
    );
  }
  return { streams, plan, highShares, [Symbol.dispose]: () => streams[Symbol.dispose]() };
}

function hasSpeech({ people }: Turns, startFrame: number, endFrame: number): boolean {
  const toStep = (frame: number) => Math.max(0, Math.floor(frame / STEP_FRAMES));
  return people.subarray(toStep(startFrame), toStep(endFrame)).some((who) => who !== NOBODY);
}

/** Takes a few windows apart, spread over all; by their start. */
async function probe(
  separator: VoiceSeparator,
  source: FrameSource,
  starts: readonly number[],
): Promise<Map<number, VoicePair>> {
  const probes = new Map<number, VoicePair>();
  const count = Math.min(PROBES, starts.length);
  for (let index = 0; index < count; index++) {
    const start = starts[Math.floor(((index + 0.5) * starts.length) / count)] ?? 0;
    probes.set(start, await separator.separate(source.read(start, WINDOW_FRAMES)));
  }
  return probes;
}

const findSimultaneityOfPair = ([first, second]: VoicePair) =>
  findSimultaneity(toMono(first), toMono(second));

async function render(
  run: InputRun,
  work: {
    target: VoicesTarget;
    pass: VoicesPass;
    separated: Separated;
    onProgress: (fraction: number) => void;
  },
): Promise<RenderResult & { voiceCount: number }> {
  const { target, pass, separated, onProgress } = work;
  const { plan, streams, highShares } = separated;
  const { manifest } = pass;
  const sounds = openVoiceSounds(run.input, streams, highShares);
  const gains = makeGains(plan);
  // Two files for two speakers, also where one alone is heard.
  const voiceCount = getVariant(target) === N_SPEAKERS ? Math.max(1, gains.length) : 2;
  const silent = new Uint8Array(plan.solo.length);
  const nothing = { input: silent, streams: [silent, silent] as const };
  const voices = Array.from({ length: voiceCount }, (_, index) => ({
    path: `${target.pathPrefix}_${String(index + 1).padStart(2, "0")}`,
    output: `voice ${index + 1}` as const,
    source: new VoiceSource(sounds, gains[index] ?? nothing),
    segments: gains[index] ? toSegments(run, plan, index) : [],
  }));
  const toSound = (output: SoundOutput, path: string) => ({
    output,
    files: target.formats.map((format) => ({
      format,
      path: `${path}.${format}`,
      ...(target.wavBitDepth === undefined ? {} : { wavBitDepth: target.wavBitDepth }),
    })),
  });
  const result = await writeSounds({
    sounds: [
      ...voices.map(({ output, path }) => toSound(output, path)),
      ...(target.hasResidual ? [toSound("residual", `${target.pathPrefix}_residual`)] : []),
    ],
    readBlock: (startFrame, lengthFrames) => {
      const planes = voices.map(({ source }) => source.read(startFrame, lengthFrames));
      if (!target.hasResidual) return planes;
      return [...planes, planes.reduce(subtractPlanes, run.input.read(startFrame, lengthFrames))];
    },
    info: run.decoded.info,
    inputPath: run.request.inputPath,
    provenance: {
      target,
      manifest: { ...manifest, overlapShare: 0.25 },
      heard: undefined,
      runsOn: (await run.networks.getVoiceSeparator(manifest)).runsOn,
      passCount: 1,
    },
    onProgress,
  });
  const named = voices.map(({ path, segments }) => ({ name: toName(target, path), segments }));
  writeFileSync(`${target.pathPrefix}.json`, writeVoices(named));
  return { ...result, voiceCount };
}

/** As the file is called: the prefix may have more in front. */
function toName({ variant, pathPrefix }: VoicesTarget, path: string): string {
  const stem = variant === undefined ? "voice" : `voice_${variant}`;
  return `${stem}${basename(path).slice(basename(pathPrefix).length)}`;
}

function toSegments(run: InputRun, plan: VoicePlan, person: number): VoiceSegment[] {
  const endSeconds = toWrittenSeconds(run.input);
  return listVoiceRuns(plan, person).map(({ from, to }) => ({
    startSeconds: Math.min(from / STEPS_PER_SECOND, endSeconds),
    endSeconds: Math.min(to / STEPS_PER_SECOND, endSeconds),
    confidence: plan.confidence.subarray(from, to).reduce((sum, value) => Math.max(sum, value), 0),
  }));
}
