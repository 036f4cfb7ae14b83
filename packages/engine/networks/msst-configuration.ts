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
      audio.number("sample_rate") ??
      training.number("samplerate") ??
      assume("sample rate in Hz", USUAL_RATE_HZ),
    segmentFrames:
      inference.number("chunk_size") ??
      audio.number("chunk_size") ??
      assume("chunk in frames", usual.segmentFrames),
    chunking: {
      convention: "msst",
      overlapCount: inference.number("num_overlap") ?? assume("segments over each frame", USUAL_OVERLAPS),
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
