import type { OutputFile, Target, TimedLine, Words } from "@stemwright/sdk";
import { toLeadSeconds } from "../../../data/lead-seconds.ts";
import type { Lane, LaneItem, Span } from "./lane.ts";
import { matchVoices, nameVoices, type Voice } from "./speaker-voices.ts";

/** The targets that lanes are made from: a Task's own, or those of a share. */
export type LaneTarget = Pick<Target, "id" | "model" | "status" | "output" | "audioOffset" | "fileTimeline">;

export type LaneReader = {
  openText(output: OutputFile): Promise<string>;
  loadWords(targetId: string): Promise<Words>;
};

const HUES = 8;
const WORDS_TITLES: Record<string, string> = { transcription: "Words", alignment: "Lyrics" };

type Region = { start_time: number; end_time: number; confidence: number };
type Voices = { voices: Voice[] };

/** Colours by name, assigned in order of first use. */
function makeHues(): (name: string | undefined) => { hue?: number } {
  const hues = new Map<string, number>();
  return (name) => {
    if (name === undefined) return {};
    const hue = hues.get(name) ?? (hues.size % HUES) + 1;
    hues.set(name, hue);
    return { hue };
  };
}

/** Parses regions from json, or from lines of start, end and confidence. */
export function parseRegions(text: string, format: string): LaneItem[] {
  const regions =
    format === "json"
      ? (JSON.parse(text) as Region[])
      : text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => {
            const [start_time = 0, end_time = 0, confidence = 0] = line.split("\t").map(Number);
            return { start_time, end_time, confidence };
          });
  return regions.map(({ start_time, end_time, confidence }) => ({
    start: start_time,
    end: end_time,
    text: `Music, ${Math.round(100 * confidence)} % sure`,
  }));
}

const toSpoken = (lines: readonly TimedLine[]) =>
  lines
    .filter(({ words }) => words.length > 0)
    .map(({ words, speaker = words[0]?.speaker }) => ({
      words,
      speaker,
      start: words[0]?.start ?? 0,
      end: words.at(-1)?.end ?? 0,
    }));

/** Each line has its speaker's colour, which is that of the matching voice if the Task has voices. */
function toWordsLane(
  { id, model }: LaneTarget,
  lines: readonly TimedLine[],
  { voices, toHue }: { voices: readonly Voice[]; toHue: ReturnType<typeof makeHues> },
): Lane {
  const spoken = toSpoken(lines);
  const toVoice = matchVoices(spoken, voices);
  return {
    id,
    title: WORDS_TITLES[model] ?? "Words",
    kind: "words",
    items: spoken.flatMap((line) => {
      const hue = toHue(toVoice(line));
      return line.words.map(({ start, end, text }) => ({ start, end, text: text.trim(), ...hue }));
    }),
    groups: spoken.map((line) => ({
      start: line.start,
      end: line.end,
      text: line.words
        .map(({ text }) => text)
        .join("")
        .trim(),
      ...toHue(toVoice(line)),
    })),
  };
}

function toVoiceLane(
  { id }: LaneTarget,
  { name, segments }: Voice,
  { toHue, names }: { toHue: ReturnType<typeof makeHues>; names: ReadonlyMap<string, string> },
): Lane {
  const hue = toHue(name);
  return {
    id: `${id}-${name}`,
    title: names.get(name) ?? nameVoice(name),
    kind: "voice",
    voice: name,
    items: segments.map(({ start, end }) => ({ start, end, text: "", ...hue })),
  };
}

/** `voice_01` is Voice 1. */
export const nameVoice = (name: string) => `Voice ${Number(/\d+$/.exec(name)?.[0] ?? 0) || name}`;

/** With times in the audio alone, which the mixer plays. */
function placeInAudio<Item extends Span>(items: readonly Item[], target: LaneTarget): Item[] {
  const leadSeconds = toLeadSeconds(target);
  return items.map((item) => ({ ...item, start: item.start - leadSeconds, end: item.end - leadSeconds }));
}

/** Music regions, voices and words of the completed targets, in this order. */
export async function loadLanes(targets: readonly LaneTarget[], reader: LaneReader): Promise<Lane[]> {
  const toHue = makeHues();
  const done = targets.filter(({ status }) => status === "completed");
  const ofModel = (...models: string[]) => done.filter(({ model }) => models.includes(model));
  const pick = ({ output }: LaneTarget, ...formats: string[]) =>
    formats.flatMap((format) => output.filter((file) => file.format === format))[0];

  const music = ofModel("music_detection").map(async (target): Promise<Lane[]> => {
    const file = pick(target, "json", "txt");
    if (!file) return [];
    const items = placeInAudio(parseRegions(await reader.openText(file), file.format), target);
    return [{ id: target.id, title: "Music", kind: "music", items }];
  });
  const voices = ofModel("multi_voice").map(async (target) => {
    const file = pick(target, "json");
    const found = file && (JSON.parse(await reader.openText(file)) as Voices);
    const voices = (found?.voices ?? []).map((voice) => ({
      ...voice,
      segments: placeInAudio(voice.segments, target),
    }));
    return { target, voices };
  });
  const words = ofModel("transcription", "alignment").map(async (target) => ({
    target,
    lines: (await reader.loadWords(target.id)).lines.map((line) => ({
      ...line,
      words: placeInAudio(line.words, target),
    })),
  }));
  const heard = await Promise.all(voices);
  const known = { voices: heard[0]?.voices ?? [], toHue };
  const spoken = await Promise.all(words);
  const lines = toSpoken(spoken.flatMap((each) => each.lines));
  const names = nameVoices(lines, matchVoices(lines, known.voices));
  // Voices get their colours before the words that share them.
  return [
    ...(await Promise.all(music)).flat(),
    ...heard.flatMap(({ target, voices: found }) =>
      found.map((voice) => toVoiceLane(target, voice, { toHue, names })),
    ),
    ...spoken.map(({ target, lines }) => toWordsLane(target, lines, known)),
  ];
}
