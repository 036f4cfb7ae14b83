import { existsSync } from "node:fs";
import { basename } from "node:path";
import { COLLAR_SECONDS, type DiarizationError, findDiarizationError } from "./diarization-error.ts";
import type { Figures } from "./figures.ts";
import { findLeaks, type Leaks } from "./find-leaks.ts";
import { listConversations } from "./list-conversations.ts";
import { readRecording } from "./read-recording.ts";
import { readRttm } from "./read-rttm.ts";
import { findImprovement } from "./si-sdr.ts";
import type { VoicesBench } from "./take-apart.ts";

type Measured = {
  people: number;
  voices: number;
  error: DiarizationError;
  leaks: Leaks;
  gainDb: number | null;
  seconds: number;
  cpuSeconds: number;
  wallSeconds: number;
  peakMb: number;
};

/** A table of the whole chain on conversations: who speaks when, in whose file, how fast. */
export async function measureConversations(
  bench: VoicesBench,
  folder: string,
  figures: Figures,
): Promise<string[]> {
  const rows: string[] = [];
  for (const path of listConversations(folder)) {
    const name = basename(path, ".wav");
    const measured = await figures.measure(`conversation ${basename(folder)}/${name}`, () =>
      measureOne(bench, path),
    );
    const { people, voices, error, leaks, gainDb, seconds, cpuSeconds, peakMb } = measured;
    const errors = [error.total, error.missed, error.invented, error.confused].map(percent).join(" | ");
    const files = `${leaks.strayTurns} of ${leaks.turns} | ${percent(leaks.leakedShare)}`;
    const speed = `${seconds.toFixed(0)} | ${cpuSeconds.toFixed(0)} | ${((2 * seconds) / cpuSeconds).toFixed(1)} | ${peakMb}`;
    rows.push(
      `| ${name} | ${people} | ${voices} | ${errors} | ${files} | ${gainDb?.toFixed(1) ?? "–"} | ${speed} |`,
    );
  }
  return [
    "| conversation | people | voices | error | missed | invented | confused | turns in another file | heard, % | gain, dB | seconds | CPU s | × real time | MB |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ...rows,
  ];
}

const percent = (share: number) => (100 * share).toFixed(1);

async function measureOne(bench: VoicesBench, path: string): Promise<Measured> {
  const truth = readRttm(path.replace(/wav$/, "rttm"));
  const people = new Set(truth.map(({ who }) => who)).size;
  const {
    planes: [mix = new Float32Array()],
    sampleRateHz,
  } = await readRecording(path);
  const { spans, planes, cpuSeconds, wallSeconds, peakMb } = await bench.takeApart(path, "n_speaker");
  const alone = Array.from({ length: people }, (_, n) => path.replace(/\.wav$/, `-s${n}.wav`)).filter(
    existsSync,
  );
  const truths = (await Promise.all(alone.map(readRecording))).flatMap(({ planes: [plane] }) => plane ?? []);
  return {
    people,
    voices: planes.length,
    error: findDiarizationError(truth, spans, { collarSeconds: COLLAR_SECONDS }),
    leaks: findLeaks(truth, spans, { planes, sampleRateHz }),
    gainDb: truths.length > 1 ? findImprovement(truths, mix, planes) : null,
    seconds: mix.length / sampleRateHz,
    cpuSeconds,
    wallSeconds,
    peakMb,
  };
}
