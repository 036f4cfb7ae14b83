/** A pass as others can make a span of it. */
export type SpanPass = {
  /** Where its spools lie below a work folder. */
  name: string;
  network: string;
  startShare: number;
  stems: string[];
  /** All that decides its samples: whoever would make it from anything else leaves it. */
  madeFrom: Record<string, string | number>;
};

/** A pass that hears the input and those that hear it: cut into spans together, so that each span can be made by itself. */
export type SpanPart = {
  /** The name of the first pass. */
  key: string;
  passes: SpanPass[];
  /** Where one span ends and the next begins, in frames of the networks' one rate. */
  cutFrames: number[];
  /** So many spans are spooled already. */
  finishedSpans: number;
};

export type SpanId = { part: string; index: number };

/** What somebody else made of a span: a file for each stem of each pass, which whoever takes it uses up. */
export type MadeSpan = { files: { pass: string; stem: string; path: string }[] };

/** Where spans of long inputs are shared out among several engines. */
export interface SpanExchange {
  /** Comes before any span of the parts is taken. */
  offer(parts: readonly SpanPart[]): void;
  /** Resolves with what was made of the span elsewhere, once it is there; with undefined where it is to be made here. */
  take(span: SpanId): Promise<MadeSpan | undefined>;
  /** How much of a span is made elsewhere, from 0 to 1. */
  shareElsewhere(span: SpanId): number;
  /** Calls whenever that changes, until what it gives is called. */
  onElsewhere(listener: () => void): () => void;
}
