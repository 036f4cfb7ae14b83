import { basename } from "node:path";
import { findTurns } from "../../packages/engine/diarization/find-turns.ts";
import { listStepRuns } from "../../packages/engine/diarization/step-runs.ts";
import { STEPS_PER_SECOND, type Turns } from "../../packages/engine/diarization/turns.ts";
import { toSampleRate } from "../../packages/engine/dsp/resampling/resampled-source.ts";
import { MonoSource } from "../../packages/engine/dsp/sources/mono-source.ts";
import { loadManifests } from "../../packages/engine/manifests/manifest.ts";
import { NetworkStore } from "../../packages/engine/networks/network-store.ts";
import { VOICE_RATE_HZ } from "../../packages/engine/networks/voices/voice-separator.ts";
import { COLLAR_SECONDS, findDiarizationError } from "./diarization-error.ts";
import type { Figures } from "./figures.ts";
import { findStrayTurns, type StrayTurns } from "./find-leaks.ts";
import { listConversations } from "./list-conversations.ts";
import { readRecording } from "./read-recording.ts";
import { readRttm } from "./read-rttm.ts";
import { type SpokenSpan, toStep } from "./spoken-steps.ts";

export type Counted = StrayTurns & {
  people: number;
  voices: number;
  error: ReturnType<typeof findDiarizationError>;
};

/** The number of people in each conversation of a folder, and when they speak: diarization only, without the separator. */
export async function countVoices(folder: string, figures: Figures): Promise<Counted[]> {
  const networks = new NetworkStore({ threads: 2 });
  const manifests = loadManifests();
  const counted: Counted[] = [];
  for (const path of listConversations(folder)) {
    const count = () => countOne(path, networks, manifests);
    counted.push(await figures.measure(`turns ${basename(folder)}/${basename(path)}`, count));
  }
  return counted;
}

async function countOne(
  path: string,
  networks: NetworkStore,
  manifests: ReturnType<typeof loadManifests>,
): Promise<Counted> {
  const { planes, sampleRateHz } = await readRecording(path);
  const input = {
    channels: planes.length,
    sampleRateHz,
    lengthFrames: planes[0]?.length ?? 0,
    read: (start: number, length: number) => planes.map((plane) => cut(plane, start, length)),
  };
  const recording = toSampleRate(new MonoSource(input), {
    sampleRateHz: VOICE_RATE_HZ,
    isForNetwork: true,
  });
  const turns = await findTurns(networks, recording, {
    manifests,
    expected: {},
    onProgress: () => {},
  });
  const truth = readRttm(path.replace(/wav$/, "rttm"));
  const people = new Set(truth.map(({ who }) => who)).size;
  const spans = toSpans(turns);
  return {
    people,
    voices: turns.voiceCount,
    error: findDiarizationError(truth, spans, { collarSeconds: COLLAR_SECONDS }),
    ...findStrayTurns(truth, spans, toStep(turns.speakers.length / STEPS_PER_SECOND)),
  };
}

function cut(plane: Float32Array, start: number, length: number): Float32Array {
  const part = new Float32Array(length);
  const from = Math.max(0, start);
  part.set(plane.subarray(from, Math.max(from, start + length)), from - start);
  return part;
}

function toSpans({ speakers, overlapping, voiceCount }: Turns): SpokenSpan[] {
  return Array.from({ length: voiceCount }, (_, voice) =>
    listStepRuns(speakers.length, (step) => speakers[step] === voice || overlapping[step] === voice).map(
      ({ from, to }) => ({
        who: String(voice),
        startSeconds: from / STEPS_PER_SECOND,
        endSeconds: to / STEPS_PER_SECOND,
      }),
    ),
  ).flat();
}

/** A table of correct counts, by the number of people. */
export function describeCounts(counted: readonly Counted[]): string[] {
  const groups = [...Map.groupBy(counted, ({ people }) => people)].toSorted(([a], [b]) => a - b);
  const rows: [string, readonly Counted[]][] = groups.map(([people, some]) => [String(people), some]);
  return [
    "| people | conversations | right | one more | one less | further off | error | missed | invented | confused | turns with another voice |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ...[...rows, ["all", counted] as const].map(([people, some]) => {
      const off = (isOff: (by: number) => boolean) =>
        some.filter((one) => isOff(one.voices - one.people)).length;
      const mean = (field: "total" | "missed" | "invented" | "confused") =>
        ((100 * some.reduce((sum, { error }) => sum + error[field], 0)) / some.length).toFixed(1);
      const errors = [mean("total"), mean("missed"), mean("invented"), mean("confused")].join(" | ");
      const counts = [
        off((by) => by === 0),
        off((by) => by === 1),
        off((by) => by === -1),
        off((by) => Math.abs(by) > 1),
      ];
      const [stray, turns] = (["strayTurns", "turns"] as const).map((field) =>
        some.reduce((sum, one) => sum + one[field], 0),
      );
      return `| ${people} | ${some.length} | ${counts.join(" | ")} | ${errors} | ${stray} of ${turns} |`;
    }),
  ];
}
