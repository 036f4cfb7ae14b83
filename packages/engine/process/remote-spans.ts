import type { MadeSpan, SpanExchange, SpanId, SpanPart } from "../separation/spans/span-exchange.ts";
import type { EngineMessage, SpanNews } from "./engine-message.ts";

const toKey = ({ part, index }: SpanId) => `${part} ${index}`;

/** The parent's span exchange, as seen by the child. Shares are the last ones received. */
export class RemoteSpans implements SpanExchange {
  readonly #send: (message: EngineMessage) => void;
  readonly #waiting = new Map<string, ((made: MadeSpan | undefined) => void)[]>();
  readonly #listeners = new Set<() => void>();
  #shares = new Map<string, number>();

  constructor(send: (message: EngineMessage) => void) {
    this.#send = send;
  }

  offer(parts: readonly SpanPart[]): void {
    this.#shares = new Map();
    this.#waiting.clear();
    this.#send({ kind: "spans-offered", parts });
  }

  take(span: SpanId): Promise<MadeSpan | undefined> {
    const { promise, resolve } = Promise.withResolvers<MadeSpan | undefined>();
    this.#waiting.set(toKey(span), [...(this.#waiting.get(toKey(span)) ?? []), resolve]);
    this.#send({ kind: "span-wanted", span });
    return promise;
  }

  shareElsewhere(span: SpanId): number {
    return this.#shares.get(toKey(span)) ?? 0;
  }

  onElsewhere(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  receive(news: SpanNews): void {
    if (news.kind === "span-taken") {
      // Each request gets its own answer.
      const [resolve, ...others] = this.#waiting.get(toKey(news.span)) ?? [];
      this.#waiting.set(toKey(news.span), others);
      resolve?.(news.made);
      return;
    }
    this.#shares = new Map(news.shares.map(({ span, share }) => [toKey(span), share]));
    for (const listener of this.#listeners) listener();
  }
}
