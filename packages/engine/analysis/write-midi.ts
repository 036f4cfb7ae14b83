import type { MusicAnalysis } from "./music-analysis.ts";

const TICKS_PER_QUARTER = 480;
const META = 0xff;
const TEXT = 0x01;
const MARKER = 0x06;
const END_OF_TRACK = 0x2f;
const SET_TEMPO = 0x51;
const TIME_SIGNATURE = 0x58;
const USUAL_BEAT_SECONDS = 0.5;
/** The largest tempo that fits the file's three bytes. */
const MICROSECONDS_MAX = 0xff_ffff;

type MidiEvent = { tick: number; type: number; data: Uint8Array };
/** From `time` on, a tick takes `secondsPerTick`. */
type TempoPoint = { time: number; tick: number; secondsPerTick: number };

/** A MIDI file of one track: a tempo for each beat, so that every beat is on a tick, sections as markers, chords as text. */
export function toMidi(analysis: MusicAnalysis): Uint8Array {
  const { beats, chords, sections, timeSignature } = analysis;
  const isCompound = timeSignature?.endsWith("/8") === true;
  const beatTicks = isCompound ? 1.5 * TICKS_PER_QUARTER : TICKS_PER_QUARTER;
  const points = mapTempo(
    beats.map(({ time }) => time),
    beatTicks,
  );
  const events: MidiEvent[] = [
    ...(timeSignature === null ? [] : [toSignatureEvent(timeSignature)]),
    ...points.map(({ tick, secondsPerTick }) => toTempoEvent(tick, secondsPerTick)),
    ...sections.map(({ start, label }) => toTextEvent(toTick(points, start), MARKER, label)),
    ...chords.map(({ start, label }) => toTextEvent(toTick(points, start), TEXT, label)),
    { tick: toTick(points, analysis.duration), type: END_OF_TRACK, data: new Uint8Array() },
  ];
  return toFile(events.toSorted((a, b) => a.tick - b.tick));
}

/** A beat is a fixed number of ticks; the time before the first one is at the first tempo, to whole ticks. */
function mapTempo(times: readonly number[], beatTicks: number): TempoPoint[] {
  const [first = 0, second = first + USUAL_BEAT_SECONDS] = times;
  const lead = Math.round((first / (second - first)) * beatTicks);
  const usual = (second - first) / beatTicks;
  const points: TempoPoint[] = [{ time: 0, tick: 0, secondsPerTick: lead > 0 ? first / lead : usual }];
  let tick = lead;
  let beatSeconds = second - first;
  times.slice(0, -1).forEach((time, at) => {
    const seconds = times[at + 1]! - time;
    // Beats that were not counted in a pause.
    const count = Math.max(1, Math.round(seconds / beatSeconds));
    beatSeconds = seconds / count;
    const point = { time, tick, secondsPerTick: beatSeconds / beatTicks };
    if (tick === 0) points[0] = point;
    else points.push(point);
    tick += count * beatTicks;
  });
  return points;
}

function toTick(points: readonly TempoPoint[], time: number): number {
  const point = points.findLast((one) => one.time <= time) ?? points[0]!;
  return Math.max(0, Math.round(point.tick + (time - point.time) / point.secondsPerTick));
}

function toTempoEvent(tick: number, secondsPerTick: number): MidiEvent {
  const microseconds = Math.min(MICROSECONDS_MAX, Math.round(secondsPerTick * TICKS_PER_QUARTER * 1e6));
  const data = Uint8Array.of(microseconds >> 16, (microseconds >> 8) & 255, microseconds & 255);
  return { tick, type: SET_TEMPO, data };
}

function toSignatureEvent(signature: string): MidiEvent {
  const [beats = 4, unit = 4] = signature.split("/").map(Number);
  const clocksPerBeat = unit === 8 ? 36 : 24;
  return { tick: 0, type: TIME_SIGNATURE, data: Uint8Array.of(beats, Math.log2(unit), clocksPerBeat, 8) };
}

const toTextEvent = (tick: number, type: number, text: string): MidiEvent => ({
  tick,
  type,
  data: new TextEncoder().encode(text),
});

function toFile(events: readonly MidiEvent[]): Uint8Array {
  const track: number[] = [];
  let last = 0;
  for (const { tick, type, data } of events) {
    track.push(...toVariableLength(tick - last), META, type, ...toVariableLength(data.length), ...data);
    last = tick;
  }
  const file = new Uint8Array(22 + track.length);
  const view = new DataView(file.buffer);
  file.set(new TextEncoder().encode("MThd"));
  view.setUint32(4, 6);
  view.setUint16(8, 0);
  view.setUint16(10, 1);
  view.setUint16(12, TICKS_PER_QUARTER);
  file.set(new TextEncoder().encode("MTrk"), 14);
  view.setUint32(18, track.length);
  file.set(track, 22);
  return file;
}

/** Seven bits a byte; all but the last have the eighth set. */
function toVariableLength(value: number): number[] {
  const bytes = [value & 127];
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift(128 | (left & 127));
  return bytes;
}
