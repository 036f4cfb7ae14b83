import type { CachedStem, StemLender, WantedStem } from "../separation/stem-cache.ts";
import type { EngineMessage, StemNews } from "./engine-message.ts";

/** The parent's cache of stems, as seen by the child: other clients' stems are out of its reach. */
export class RemoteStems implements StemLender {
  readonly #send: (message: EngineMessage) => void;
  readonly #waiting = new Map<number, (isLent: boolean) => void>();
  #lastId = 0;

  constructor(send: (message: EngineMessage) => void) {
    this.#send = send;
  }

  lend(wanted: WantedStem): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const id = ++this.#lastId;
    this.#waiting.set(id, resolve);
    this.#send({ kind: "stem-wanted", id, wanted });
    return promise;
  }

  keep(finished: CachedStem): void {
    this.#send({ kind: "stem-finished", finished });
  }

  receive({ id, isLent }: StemNews): void {
    this.#waiting.get(id)?.(isLent);
    this.#waiting.delete(id);
  }
}
