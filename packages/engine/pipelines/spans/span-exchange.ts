/** A pass as others can make a span of it. */
export type SpanPass = {
  /** The folder of its spools in a work folder. */
  name: string;
  network: string;
  startShare: number;
  stems: string[];
  /** Everything its samples depend on; a helper with anything different declines. */
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

/** A span made by another worker: a file for each stem of each pass, consumed by the taker. */
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
