import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { interleave } from "../../dsp/interleave.ts";
import { makeSeededRandom } from "../../dsp/seeded-random.ts";
import { EngineProcess } from "../../process/engine-process.ts";
import { readSound, writeSound } from "../../support/sound-file.ts";
import { separateByOriginal } from "../band-split/support/separate-by-original.ts";
import { STEREO_TRANSFORM } from "../band-split/window-spectrum.ts";
import { SpeechCleaner } from "./speech-cleaner.ts";

const WEIGHTS = new URL("../../../../weights/speech-denoise/model.onnx", import.meta.url).pathname;
const STEMS = ["dry", "room", "noise"];
/** Short, to save time: any number of slots works. */
const SEGMENT_FRAMES = 24 * STEREO_TRANSFORM.hopFrames;

/** A buzz that comes and goes, in noise. */
function makeRecording(seed: number, noise: number): Float32Array {
  const random = makeSeededRandom(seed);
  return Float32Array.from({ length: SEGMENT_FRAMES }, (_, n) => {
    const seconds = n / 48_000;
    const buzz = Math.sin(14 * seconds) > 0 ? ((seconds * 120) % 1) - 0.5 : 0;
    return 0.3 * buzz + noise * (random() - 0.5);
  });
}

const energy = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0);
const shareDb = (part: Float32Array, whole: Float32Array) => 10 * Math.log10(energy(part) / energy(whole));
const minus = (a: Float32Array, b: Float32Array) => a.map((value, n) => value - b[n]!);
const load = (inBytes: boolean) =>
  SpeechCleaner.load(WEIGHTS, { segmentFrames: SEGMENT_FRAMES, stems: STEMS }, { threads: 2, inBytes });

describe("the speech cleaner", () => {
  const [left, right] = [makeRecording(1, 0.1), makeRecording(2, 0.05).map((value) => value * 0.7)];
  const loading = load(false);
  const separate = async (channels: readonly [Float32Array, Float32Array]) => {
    const separated = await (await loading).network.separate(channels, STEMS);
    return STEMS.map((stem) => separated.get(stem) ?? []);
  };

  it.each([
    { inBytes: false, runsOn: "cpu", mostDb: -80 },
    { inBytes: true, runsOn: "cpu in bytes", mostDb: -30 },
  ])("gives the outputs of the graph it was read from: $runsOn", async ({ inBytes, runsOn, mostDb }) => {
    const expected = await separateByOriginal(WEIGHTS, left, { stemCount: 3, transform: STEREO_TRANSFORM });
    const loaded = await load(inBytes);
    expect(loaded.runsOn).toBe(runsOn);
    const actual = await loaded.network.separate([left, left], STEMS);
    STEMS.forEach((stem, index) => {
      expect(shareDb(minus(actual.get(stem)![0]!, expected[index]!), left), stem).toBeLessThan(mostDb);
    });
  });

  it("[M11] dry speech, room and noise sum to each channel, and both channels share one mask", async () => {
    const outputs = await separate([left, right]);
    [left, right].forEach((channel, side) => {
      const rest = outputs.reduce((sum, planes) => minus(sum, planes[side]!), channel);
      // −120 dBFS.
      expect(Math.max(...rest.map(Math.abs))).toBeLessThan(1e-6);
    });
    const mono = left.map((value, n) => (value + right[n]!) / 2);
    const together = await separate([mono, mono]);
    outputs.forEach((planes, stem) => {
      const mean = planes[0]!.map((value, n) => (value + planes[1]![n]!) / 2);
      expect(shareDb(minus(mean, together[stem]![0]!), mono)).toBeLessThan(-90);
    });
  });

  it("[M11] treats a recording with one channel inverted like mono", async () => {
    const inverted = await separate([left, left.map((value) => -value)]);
    const mono = await separate([left, left]);
    inverted.forEach(([first, second], stem) => {
      expect(shareDb(minus(first!, mono[stem]![0]!), left)).toBeLessThan(-90);
      expect(
        shareDb(
          minus(
            second!.map((value) => -value),
            mono[stem]![0]!,
          ),
          left,
        ),
      ).toBeLessThan(-90);
    });
  });
});

describe("clean speech in the engine", () => {
  const folder = mkdtempSync(join(tmpdir(), "stemwright-speech-cleaner-"));
  const engine = new EngineProcess();
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    { sampleRateHz: 16_000, channels: 1 },
    { sampleRateHz: 44_100, channels: 2 },
  ])(
    "[M11] keeps rate, channels and length, and the residual is the input without it, to the bit: $sampleRateHz Hz",
    async ({ sampleRateHz, channels }) => {
      const planes = [1, 2].slice(0, channels).map((seed) => makeRecording(seed, 0.1).slice(0, 20_001));
      const inputPath = join(folder, "recording.wav");
      writeSound(inputPath, planes, sampleRateHz);
      const pathOf = (model: string, output: string) => join(folder, `${model}-${output}.wav`);
      const targets = ["speech_denoise", "speech_dereverb"].map((model) => ({
        kind: "sound" as const,
        key: model,
        model,
        files: (["stem", "residual"] as const).map((output) => ({
          output,
          format: "wav" as const,
          path: pathOf(model, output),
        })),
      }));
      await engine.run({ inputPath, workDir: join(folder, `work-${sampleRateHz}`), targets });
      const input = interleave(planes);
      for (const { model } of targets) {
        const cleaned = readSound(pathOf(model, "stem"));
        expect(cleaned).toMatchObject({ sampleRateHz, channels, lengthFrames: 20_001 });
        const samples = interleave(cleaned.planes);
        expect(interleave(readSound(pathOf(model, "residual")).planes)).toEqual(minus(input, samples));
        expect(energy(samples), model).toBeGreaterThan(0);
      }
    },
  );
});
