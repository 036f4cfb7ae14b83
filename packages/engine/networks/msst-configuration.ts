import { type Checkpoint, CheckpointRefused, type Recognised } from "./architecture.ts";

/** A section of a configuration of Music-Source-Separation-Training, with the type of each value checked as it is read. */
export class MsstSection {
  readonly #values: Record<string, unknown>;
  readonly #path: string;

  constructor(values: unknown, path = "") {
    this.#values = isRecord(values) ? values : {};
    this.#path = path;
  }

  section(name: string): MsstSection {
    return new MsstSection(this.#values[name], `${this.#path}${name}.`);
  }

  number(name: string): number | undefined {
    return this.#read(name, (value): value is number => typeof value === "number", "a number");
  }

  /** A whole number from 1. */
  count(name: string): number | undefined {
    const is = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
    return this.#read(name, is, "a whole number from 1");
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, (value): value is boolean => typeof value === "boolean", "true or false");
  }

  text(name: string): string | undefined {
    return this.#read(name, (value): value is string => typeof value === "string", "a text");
  }

  texts(name: string): string[] | undefined {
    return this.#read(name, isListOf("string"), "a list of texts");
  }

  numbers(name: string): number[] | undefined {
    return this.#read(name, isListOf("number"), "a list of numbers");
  }

  #read<Value>(name: string, is: (value: unknown) => value is Value, what: string): Value | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (is(value)) return value;
    throw new CheckpointRefused(`The configuration's ${this.#path}${name} is not ${what}.`);
  }
}

/** That the transform can have: more is no audio network's. */
const MAX_FFT_SIZE = 65_536;
/** Ten minutes at 48 kHz. */
const MAX_CHUNK_FRAMES = 28_800_000;

/** Refuses a transform that can't be run, and chunks that no machine has memory for. */
export function checkTransform({
  fftSize,
  hopFrames,
  segmentFrames,
}: {
  fftSize: number;
  hopFrames: number;
  segmentFrames: number;
}): void {
  let rest = fftSize;
  for (const factor of [2, 3, 5]) while (rest % factor === 0 && rest > 0) rest /= factor;
  if (rest !== 1 || fftSize % 32 !== 0 || fftSize > MAX_FFT_SIZE)
    throw new CheckpointRefused(
      `A Fourier transform of ${fftSize} frames can't be run: it must be a multiple of 32 without prime factors above 5, at most ${MAX_FFT_SIZE}.`,
    );
  if (!Number.isSafeInteger(hopFrames) || hopFrames < 1 || hopFrames > fftSize)
    throw new CheckpointRefused(`A hop of ${hopFrames} frames does not fit a transform of ${fftSize}.`);
  if (
    !Number.isSafeInteger(segmentFrames) ||
    segmentFrames <= fftSize / 2 ||
    segmentFrames > MAX_CHUNK_FRAMES
  )
    throw new CheckpointRefused(
      `A chunk of ${segmentFrames} frames can't be run: it must be longer than half a transform of ${fftSize}, and at most ${MAX_CHUNK_FRAMES}.`,
    );
}

const USUAL_RATE_HZ = 44_100;
const USUAL_OVERLAPS = 4;

/** What all architectures read alike. `usual` holds what is assumed without a configuration. */
export function readMsst(
  { msst }: Checkpoint,
  {
    stemCount,
    usual,
    assumptions,
  }: {
    stemCount: number;
    usual: { segmentFrames: number; stems?: string[] | undefined };
    assumptions: string[];
  },
): Pick<Recognised, "stems" | "sampleRateHz" | "segmentFrames" | "chunking" | "levelling"> {
  const root = new MsstSection(msst);
  const [audio, training, inference] = ["audio", "training", "inference"].map((name) =>
    root.section(name),
  ) as [MsstSection, MsstSection, MsstSection];
  const assume = <Value>(what: string, value: Value): Value => {
    assumptions.push(`${what}: ${String(value)}`);
    return value;
  };
  const target = training.text("target_instrument");
  const named = target === undefined ? training.texts("instruments") : [target];
  if (named && named.length !== stemCount)
    throw new CheckpointRefused(
      `The configuration names ${named.length} stems (${named.join(", ")}), but the weights make ${stemCount}.`,
    );
  const generic = Array.from({ length: stemCount }, (_, index) => `stem_${index + 1}`);
  return {
    stems: named ?? assume("stems", usual.stems?.length === stemCount ? usual.stems : generic),
    sampleRateHz:
      audio.count("sample_rate") ??
      training.count("samplerate") ??
      assume("sample rate in Hz", USUAL_RATE_HZ),
    segmentFrames:
      inference.count("chunk_size") ??
      audio.count("chunk_size") ??
      assume("chunk in frames", usual.segmentFrames),
    chunking: {
      convention: "msst",
      overlapCount: inference.count("num_overlap") ?? assume("segments over each frame", USUAL_OVERLAPS),
    },
    ...(inference.flag("normalize") && { levelling: "population" as const }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isListOf =
  <Name extends "string" | "number">(type: Name) =>
  (value: unknown): value is (Name extends "string" ? string : number)[] =>
    Array.isArray(value) && value.every((item) => typeof item === type);
