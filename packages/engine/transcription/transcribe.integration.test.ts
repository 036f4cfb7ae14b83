import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import { loadManifests } from "../manifests/manifest.ts";
import { NetworkStore } from "../networks/network-store.ts";
import { EngineProcess } from "../process/engine-process.ts";
import { runRequest } from "../request/run-request.ts";
import { joinSamples } from "../support/join-samples.ts";
import { writeSound } from "../support/sound-file.ts";
import { FIXTURE_RATE_HZ as RATE, readFixture } from "./support/read-fixture.ts";

type Word = { start: number; end: number; text: string; confidence: number };
type Output = {
  text: string;
  lines: { start: number; end: number; text: string; words: Word[] }[];
  metadata: {
    language: string;
    languageConfidence: number;
    model: string;
    languageSpans?: { language: string }[];
  };
};

const folder = mkdtempSync(join(tmpdir(), "stemwright-speech-"));
const networks = new NetworkStore({ threads: 2, cacheDir: join(folder, "cache") });
const manifests = loadManifests({ speechNetwork: "whisper-tiny" });
let english: Float32Array;
let spanish: Float32Array;

beforeAll(async () => {
  english = await readFixture("english.opus");
  spanish = await readFixture("spanish.opus");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const silence = (seconds: number) => new Float32Array(Math.round(seconds * RATE));
const noise = (seconds: number) => {
  const random = makeSeededRandom(1);
  return silence(seconds).map(() => 0.2 * (random() - 0.5));
};

async function transcribe(name: string, sound: Float32Array, language?: string): Promise<Output> {
  const inputPath = join(folder, `${name}.wav`);
  const path = join(folder, `${name}.json`);
  writeSound(inputPath, [sound], RATE);
  await runRequest(
    {
      inputPath,
      workDir: join(folder, `${name}-work`),
      targets: [
        {
          kind: "text",
          key: name,
          model: "transcription",
          ...(language === undefined ? {} : { language }),
          files: [{ format: "json", path }],
        },
      ],
    },
    {
      networks,
      manifests,
      report: {
        onTargetFailed: (_, error) => {
          throw error;
        },
      },
    },
  );
  return JSON.parse(readFileSync(path, "utf8"));
}

const wordsOf = (output: Output) => output.lines.flatMap(({ words }) => words);
const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();

describe("transcription", () => {
  let spoken: Output;
  beforeAll(async () => {
    spoken = await transcribe("english", joinSamples([silence(1), english, silence(1)]));
  });

  it("[V3] returns the words, with the language and the model", () => {
    expect(plain(spoken.text)).toMatch(/ships sailed across the northern sea the captain counted every wave/);
    expect(spoken.metadata).toMatchObject({ language: "en", model: "whisper-tiny" });
    expect(spoken.metadata.languageConfidence).toBeGreaterThan(0.9);
  });

  it("[V3] the text joins the lines, a line its words; times are in order and inside the audio", () => {
    expect(spoken.lines.map(({ text }) => text).join("")).toBe(spoken.text);
    for (const { start, end, text, words } of spoken.lines) {
      expect(words.map((word) => word.text).join("")).toBe(text);
      expect([start, end]).toEqual([words[0]?.start, words.at(-1)?.end]);
    }
    const times = wordsOf(spoken).flatMap(({ start, end }) => [start, end]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(0.9);
    expect(times.at(-1)).toBeLessThan(2 + english.length / RATE);
    for (const { confidence } of wordsOf(spoken)) expect(confidence).toBeGreaterThan(0);
  });

  it("[V4] silence inserted before and within it moves no word by more than 100 ms", async () => {
    const first = wordsOf(spoken).findIndex(({ text }) => /captain/i.test(text)) - 1;
    const pause = wordsOf(spoken)[first]?.start ?? 0;
    const cut = Math.round((pause - 1.08) * RATE);
    const output = await transcribe(
      "stretched",
      joinSamples([silence(8), english.subarray(0, cut), silence(12), english.subarray(cut), silence(1)]),
    );
    expect(wordsOf(output).map(({ text }) => plain(text))).toEqual(
      wordsOf(spoken).map(({ text }) => plain(text)),
    );
    wordsOf(output).forEach(({ start, end }, n) => {
      const before = wordsOf(spoken)[n];
      const moved = n < first ? 7 : 19;
      expect(Math.abs(start - moved - (before?.start ?? 0)), `start of word ${n}`).toBeLessThan(0.1);
      expect(Math.abs(end - moved - (before?.end ?? 0)), `end of word ${n}`).toBeLessThan(0.1);
    });
  });

  it("[V5] silence, noise and a tenth of a second give no lines", async () => {
    for (const [name, sound] of [
      ["silence", silence(4)],
      ["noise", noise(6)],
      ["short", noise(0.1)],
    ] as const) {
      const { text, lines } = await transcribe(name, sound);
      expect({ name, text, lines }).toEqual({ name, text: "", lines: [] });
    }
  });

  it("[V6] keeps both languages of a file, and says where each is spoken", async () => {
    const twice = (sound: Float32Array) =>
      joinSamples([sound, silence(0.6), sound, silence(0.6), sound, silence(0.6)]);
    const output = await transcribe("both", joinSamples([twice(english), silence(5), twice(spanish)]));
    expect(plain(output.text)).toMatch(/captain counted.*hablamos del tiempo/);
    expect(output.metadata.languageSpans?.map(({ language }) => language)).toEqual(["en", "es"]);
  });

  it("[V6] uses the requested language", async () => {
    const output = await transcribe("told", spanish, "es");
    expect(output.metadata).toMatchObject({ language: "es", languageConfidence: 1 });
    expect(plain(output.text)).toMatch(/buenos d[ií]as/);
  });

  it("[V7] resumes after what a killed run had finished", async () => {
    const name = "english";
    const log = join(folder, `${name}-work/whisper-tiny/input-auto/log.jsonl`);
    const window = JSON.parse(readFileSync(log, "utf8"));
    window[0].words[0].text = "Kept ";
    writeFileSync(log, `${JSON.stringify(window)}\n`);
    expect((await transcribe(name, joinSamples([silence(1), english, silence(1)]))).text).toMatch(/^Kept /);
  });

  it("[V7] a SIGKILL loses the windows in progress, and no word of earlier ones", async () => {
    // Each window takes four of them: four windows, of which two are transcribed at once.
    const sound = joinSamples([...Array.from({ length: 14 }, () => [english, silence(0.8)]).flat()]);
    const inputPath = join(folder, "long.wav");
    writeSound(inputPath, [sound], RATE);
    const path = join(folder, "long.json");
    const workDir = join(folder, "long-work");
    const log = join(workDir, "whisper-tiny/input-en/log.jsonl");
    const target = { kind: "text", key: "long", model: "transcription", language: "en" } as const;
    const request = {
      inputPath,
      workDir,
      targets: [{ ...target, files: [{ format: "json", path } as const] }],
    };
    const readLines = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []);
    const engine = new EngineProcess({ speechNetwork: "whisper-tiny" });
    const killed = engine.run(request, {
      onProgress: () => {
        if (readLines().length > 0 && engine.pid !== undefined) process.kill(engine.pid, "SIGKILL");
      },
    });
    await expect(killed).rejects.toThrow("ended from outside (signal SIGKILL)");
    const before = readLines();
    expect(before.length).toBeGreaterThanOrEqual(2);
    expect(existsSync(path)).toBe(false);

    await engine.run(request);
    const after = readLines();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    const resumed = readFileSync(path, "utf8");
    await engine.run({ ...request, workDir: join(folder, "long-again-work") });
    expect(readFileSync(path, "utf8")).toBe(resumed);
    await engine.close();
  });
});
