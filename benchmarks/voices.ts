import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { readSound, writeSound } from "../packages/engine/pipelines/fixtures/sound-file.ts";
import { EngineProcess } from "../packages/engine/process/engine-process.ts";
import { describeRun } from "./machine.ts";
import { readCpuMs, readMemory } from "./process-figures.ts";
import { countVoices, describeCounts } from "./voices/count-voices.ts";
import { COLLAR_SECONDS, findDiarizationError, type SpokenSpan } from "./voices/diarization-error.ts";
import { listConversations } from "./voices/list-conversations.ts";
import { readRecording } from "./voices/read-recording.ts";
import { readRttm } from "./voices/read-rttm.ts";
import { findImprovement } from "./voices/si-sdr.ts";

/*
 * Who speaks when, how many, and how well they are taken apart, as the service does it. Conversations are NAME.wav with NAME.rttm beside it, and where they were
 * generated NAME-s0.wav, NAME-s1.wav … with each voice alone; pairs are folders with s0.wav and s1.wav, which are added up.
 *
 *   npm run bench:voices -- --turns FOLDER … --conversations FOLDER … --pairs FOLDER …
 *
 * With --turns people are counted by turns alone, without the separator. Folders are made by `python3 -m training.mix.conversations`.
 */
const { values } = parseArgs({
  options: {
    turns: { type: "string", multiple: true, default: [] },
    conversations: { type: "string", multiple: true, default: [] },
    pairs: { type: "string", multiple: true, default: [] },
  },
});

const RESULTS = join(import.meta.dirname, "results/voices.md");
const workFolder = mkdtempSync(join(tmpdir(), "stemwright-bench-voices-"));
const engine = new EngineProcess();

type Voices = {
  planes: Float32Array[];
  spans: SpokenSpan[];
  cpuSeconds: number;
  wallSeconds: number;
  peakMb: number;
};

async function takeApart(inputPath: string, variant: "two_speaker" | "n_speaker"): Promise<Voices> {
  const pathPrefix = join(workFolder, "voice");
  const [cpuBefore, before] = [await readCpuMs(process.pid), performance.now()];
  let voiceCount = 0;
  await engine.run(
    {
      inputPath,
      workDir: join(workFolder, "work"),
      targets: [
        {
          kind: "voices",
          key: "v",
          model: "multi_voice",
          variant,
          pathPrefix,
          formats: ["wav"],
          hasResidual: false,
        },
      ],
    },
    {
      onTargetDone: (_, result) => {
        voiceCount = result.voiceCount ?? 0;
      },
    },
  );
  const wallSeconds = (performance.now() - before) / 1000;
  const cpuSeconds = ((await readCpuMs(process.pid)) - cpuBefore) / 1000;
  const { peakMb } = await readMemory(engine.pid ?? process.pid);
  rmSync(join(workFolder, "work"), { recursive: true });
  const planes = Array.from({ length: voiceCount }, (_, index) => {
    const [plane = new Float32Array()] = readSound(
      `${pathPrefix}_${String(index + 1).padStart(2, "0")}.wav`,
    ).planes;
    return plane;
  });
  const { voices } = JSON.parse(readFileSync(`${pathPrefix}.json`, "utf8")) as {
    voices: { name: string; segments: { start: number; end: number }[] }[];
  };
  const spans = voices.flatMap(({ name, segments }) =>
    segments.map(({ start, end }) => ({ who: name, startSeconds: start, endSeconds: end })),
  );
  return { planes, spans, cpuSeconds, wallSeconds, peakMb };
}

const percent = (share: number) => (100 * share).toFixed(1);
const countRows: string[] = [];
for (const folder of values.turns) {
  const counted = await countVoices(folder);
  countRows.push(
    `${counted.length} conversations (\`${basename(folder)}\`):`,
    "",
    ...describeCounts(counted),
    "",
  );
}
const rows: string[] = [];
for (const folder of values.conversations) {
  for (const path of listConversations(folder)) {
    const truth = readRttm(path.replace(/wav$/, "rttm"));
    const people = new Set(truth.map(({ who }) => who)).size;
    const { planes, sampleRateHz } = await readRecording(path);
    const { spans, planes: voices, cpuSeconds, wallSeconds, peakMb } = await takeApart(path, "n_speaker");
    const error = findDiarizationError(truth, spans, { collarSeconds: COLLAR_SECONDS });
    const seconds = (planes[0]?.length ?? 0) / sampleRateHz;
    const alone = Array.from({ length: people }, (_, n) => path.replace(/\.wav$/, `-s${n}.wav`)).filter(
      existsSync,
    );
    const recordings = await Promise.all(alone.map(readRecording));
    const truths = recordings.map(({ planes: [plane = new Float32Array()] }) => plane);
    const gain =
      truths.length > 1 ? findImprovement(truths, planes[0] ?? new Float32Array(), voices).toFixed(1) : "–";
    const figures = [error.total, error.missed, error.invented, error.confused].map(percent).join(" | ");
    const speed = `${seconds.toFixed(0)} | ${cpuSeconds.toFixed(0)} | ${((2 * seconds) / cpuSeconds).toFixed(1)} | ${peakMb}`;
    rows.push(
      `| ${basename(path, ".wav")} | ${people} | ${voices.length} | ${figures} | ${gain} | ${speed} |`,
    );
    console.log(rows.at(-1), `${wallSeconds.toFixed(0)} s`);
  }
}

const pairRows: string[] = [];
for (const folder of values.pairs) {
  const read = (name: string) => readRecording(join(folder, name));
  const [first, second] = [await read("s0.wav"), await read("s1.wav")];
  const [a = new Float32Array(), b = new Float32Array()] = [first.planes[0], second.planes[0]];
  const mix = a.map((value, n) => value + (b[n] ?? 0));
  const path = join(workFolder, "mix.wav");
  writeSound(path, [mix], first.sampleRateHz);
  const { planes } = await takeApart(path, "two_speaker");
  pairRows.push(
    `| ${basename(folder)} | ${findImprovement([a, b.subarray(0, a.length)], mix, planes).toFixed(1)} |`,
  );
  console.log(pairRows.at(-1));
}
await engine.close();
rmSync(workFolder, { recursive: true });

writeFileSync(
  RESULTS,
  [
    "# Voices",
    "",
    "`npm run bench:voices`: `multi_voice` as the service runs it. Errors in % of the speaking time, 0.25 s collar, overlap counted; × real time is that of two cores with nothing else to do.",
    "",
    ...describeRun(),
    "",
    ...(countRows.length > 0
      ? ["How many speak, and when, by turns alone (`--turns`):", "", ...countRows]
      : []),
    ...(rows.length > 0
      ? [
          "The whole chain, `n_speaker`; the memory is the engine process's at its highest so far:",
          "",
          "| conversation | people | voices found | error | missed | invented | confused | SI-SDR improvement, dB | seconds | CPU-seconds | × real time | MB |",
          "|---|---|---|---|---|---|---|---|---|---|---|---|",
          ...rows,
          "",
        ]
      : []),
    ...(pairRows.length > 0
      ? [
          "Two people who talk at once from beginning to end (`two_speaker`), SI-SDR improvement in dB:",
          "",
          "| mixture | improvement |",
          "|---|---|",
          ...pairRows,
          "",
        ]
      : []),
  ].join("\n"),
);
