import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { interleave } from "../dsp/interleave.ts";
import type { AudioFormat } from "../media/index.ts";
import { encodeSignal } from "../media/support/encode-and-decode.ts";
import type { SpanResult } from "../separation/spans/run-span.ts";
import type { SpanId, SpanPart } from "../separation/spans/span-exchange.ts";
import { bringSpan } from "../support/bring-span.ts";
import { readSound, writeSound } from "../support/sound-file.ts";
import { makeSyntheticSong } from "../support/synthetic-song.ts";
import type { SoundTarget } from "../targets/engine-request.ts";
import { EngineProcess } from "./engine-process.ts";
import type { SpanHooks } from "./work-hooks.ts";

/** Five segments of htdemucs and of the instrument splitter, six of the dialogue network: spans are never finer. */
const SECONDS = 32;
/** Four spans. */
const FROM_SECONDS = 31;
/** Allows for a busy machine. */
const TIMEOUT_MS = 1_200_000;

const folder = mkdtempSync(join(tmpdir(), "stemwright-span-process-"));
const leader = new EngineProcess();
const helper = new EngineProcess();
afterAll(async () => {
  for (const engine of [leader, helper]) await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

type Input = {
  channels: number;
  sampleRateHz: number;
  format: AudioFormat;
};

/** Each channel is a different mix of the song, so that none can be mistaken for another. */
async function writeInput(input: Input): Promise<string> {
  const { channels, sampleRateHz, format } = input;
  const lengthFrames = SECONDS * sampleRateHz + 13;
  const [left = new Float32Array(), right = new Float32Array()] = makeSyntheticSong({
    ...{ sampleRateHz, lengthFrames },
  });
  const planes = Array.from({ length: channels }, (_, channel) =>
    left.map((value, n) => (value * (channel + 1) + (right[n] ?? 0) * (channels - channel)) / (channels + 1)),
  );
  const path = join(mkdtempSync(join(folder, "input-")), `input.${format}`);
  if (format === "wav") writeSound(path, planes, sampleRateHz);
  else
    await encodeSignal(
      { sampleRateHz, channels, samples: interleave(planes) },
      { files: [{ format, path }] },
    );
  return path;
}

/** Stem and residual, as floats. */
function makeTarget(dir: string, model: string): SoundTarget {
  return {
    ...{ kind: "sound", key: model, model },
    files: (["stem", "residual"] as const).map((output) => ({
      ...{ output, format: "wav", path: join(dir, `${model}-${output}.wav`) },
    })),
  };
}

/** Every other span is made by another engine, one at a time, as another worker would. */
function shareSpans(inputPath: string, other: EngineProcess) {
  const parts: SpanPart[] = [];
  const made = new Map<string, Promise<SpanResult>>();
  let last: Promise<unknown> = Promise.resolve();
  const make = ({ part, index }: SpanId, work: SpanPart): Promise<SpanResult> => {
    const key = `${part} ${index}`;
    const known = made.get(key);
    if (known) return known;
    const workDir = `${inputPath}.helper`;
    const making = last.then(() => other.runSpan({ inputPath, workDir, part: work, index }));
    last = making;
    made.set(key, making);
    return making;
  };
  const hooks: SpanHooks = {
    // As stored in a database.
    offer: (offered) => void parts.push(...(JSON.parse(JSON.stringify(offered)) as SpanPart[])),
    async take(span) {
      const work = parts.find(({ key }) => key === span.part);
      return work && span.index % 2 === 1 ? bringSpan(await make(span, work), folder) : undefined;
    },
  };
  return { hooks, parts, countMade: () => made.size };
}

/** The largest difference, in dBFS. */
function compareSounds(path: string, otherPath: string): number {
  const [one, other] = [readSound(path), readSound(otherPath)];
  expect(other).toMatchObject({ channels: one.channels, lengthFrames: one.lengthFrames });
  let peak = 0;
  for (const [channel, plane] of one.planes.entries())
    for (const [n, value] of plane.entries())
      peak = Math.max(peak, Math.abs(value - (other.planes[channel]?.[n] ?? 1)));
  return 20 * Math.log10(peak);
}

type Case = {
  name: string;
  input: Input;
  models: string[];
  /** The networks of each shared part. */
  networks: string[][];
};
const CASES: Case[] = [
  {
    name: "stems of the input and of a stem, of stereo at the networks' rate",
    input: { channels: 2, sampleRateHz: 44_100, format: "wav" },
    models: ["vocals", "instrumental", "guitar", "other-x-guitar"],
    networks: [["htdemucs", "other-splitter"]],
  },
  {
    name: "dialogue and what is around it, of a mono mp3 at 48 kHz",
    input: { channels: 1, sampleRateHz: 48_000, format: "mp3" },
    models: ["dialogue", "effects", "music", "music_fx", "music_removal"],
    networks: [["dialogue-music-effects"]],
  },
];

it.each(CASES)(
  "[Q14] two engine processes with the real networks give what one gives: $name",
  async ({ input, models, networks }) => {
    const inputPath = await writeInput(input);
    const toDir = (name: string) => mkdtempSync(join(folder, `${name}-`));
    const [alone, together] = [toDir("alone"), toDir("together")];
    const toRequest = (dir: string) => ({
      ...{ inputPath, workDir: join(dir, "work"), spansFromSeconds: FROM_SECONDS },
      targets: models.map((model) => makeTarget(dir, model)),
    });
    await leader.run(toRequest(alone));
    const { hooks, parts, countMade } = shareSpans(inputPath, helper);
    await leader.run(toRequest(together), { spans: hooks });
    expect(parts.map(({ passes }) => passes.map(({ network }) => network))).toEqual(networks);
    expect(countMade()).toBe(2 * networks.length);
    const files = toRequest("").targets.flatMap((target) => target.files.map(({ path }) => path));
    const differences = files.map((file) => compareSounds(join(alone, file), join(together, file)));
    expect(Math.max(...differences)).toBe(Number.NEGATIVE_INFINITY);
  },
  TIMEOUT_MS,
);
