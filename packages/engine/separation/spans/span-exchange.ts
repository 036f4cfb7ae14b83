/** A pass, described so that another engine can make a span of it. */
export type SpanPass = {
  /** The folder of its spools in a work folder. */
  name: string;
  network: string;
  startShare: number;
  stems: string[];
  /** Everything its samples depend on; a helper with anything different declines. */
  madeFrom: Record<string, string | number>;
};

/** A pass over the input and those that read its stems: split into the same spans, so that each span can be made independently. */
export type SpanPart = {
  /** The name of the first pass. */
  key: string;
  passes: SpanPass[];
  /** Boundaries between spans, in frames at the networks' common rate. */
  cutFrames: number[];
  /** Number of spans already spooled. */
  finishedSpans: number;
};

export type SpanId = { part: string; index: number };

/** A span made by another worker: a file for each stem of each pass, consumed by the taker. */
export type MadeSpan = { files: { pass: string; stem: string; path: string }[] };

/** Shares spans of long inputs among several engines. */
export interface SpanExchange {
  /** Called before any span of the parts is taken. */
  offer(parts: readonly SpanPart[]): void;
  /** Resolves with the span made by another worker, or with undefined if it is to be made here. */
  take(span: SpanId): Promise<MadeSpan | undefined>;
  /** The share of a span that another worker has done, from 0 to 1. */
  shareElsewhere(span: SpanId): number;
  /** Calls `listener` whenever that changes; returns the unsubscribe function. */
  onElsewhere(listener: () => void): () => void;
}
