import type {
  Gap,
  Realignment,
  TextOutputFormat,
  TimedLine,
  Words,
  WordsEditInput,
  WordsVersion,
} from "@stemwright/contract";
import { StemwrightError } from "../errors.ts";
import { route } from "../http/route.ts";
import { sleep } from "../http/sleep.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

const POLL_MS = 300;

/** A target of a Task. */
export type TargetRef = { taskId: string; targetId: string };

const toPath = ({ taskId, targetId }: TargetRef) => route`/tasks/${taskId}/targets/${targetId}`;

/** The words of transcription and alignment targets, as edited. */
export class TaskWords {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(target: TargetRef, options?: RequestOptions): Promise<Words> {
    return this.#transport.load({ method: "GET", path: `${toPath(target)}/words` }, options);
  }

  /** Saves an edited version beside the original. Fails with `WORDS_CHANGED` if `revision` is not the current one. */
  save(target: TargetRef, edit: WordsEditInput, options?: RequestOptions): Promise<Words> {
    return this.#transport.load({ method: "PUT", path: `${toPath(target)}/words`, json: edit }, options);
  }

  /** Discards the edited version. */
  reset(target: TargetRef, options?: RequestOptions): Promise<Words> {
    return this.#transport.load({ method: "DELETE", path: `${toPath(target)}/words` }, options);
  }

  /** The words as a file: `.text()` or `.blob()` of the response. As edited, unless the version is `original`. */
  export(
    target: TargetRef,
    format: TextOutputFormat,
    { version, ...options }: RequestOptions & { version?: WordsVersion } = {},
  ): Promise<Response> {
    const path = `${toPath(target)}/words/export`;
    return this.#transport.open({ method: "GET", path, query: { format, version } }, options);
  }

  /**
   * New times for an edited gap. Waits for them; aborting the signal cancels the work. Saves nothing.
   *
   * @example
   * const lines = await client.tasks.words.align(target, { text: "northern sea", start: 1.2, end: 2.4 });
   */
  async align(target: TargetRef, gap: Gap, options: RequestOptions = {}): Promise<TimedLine[]> {
    let { id, status, lines, error } = await this.startAlignment(target, gap, options);
    try {
      while (status === "processing") {
        await sleep(POLL_MS, options.signal);
        ({ status, lines, error } = await this.getAlignment(target, id, options));
      }
    } catch (failure) {
      if (options.signal?.aborted)
        await this.cancelAlignment(target, id, { ...options, signal: undefined }).catch(() => {});
      throw failure;
    }
    if (!lines) throw new StemwrightError(error?.message ?? "The gap could not be aligned");
    return lines;
  }

  startAlignment(target: TargetRef, gap: Gap, options?: RequestOptions): Promise<Realignment> {
    const path = `${toPath(target)}/realignments`;
    return this.#transport.load({ method: "POST", path, json: gap }, options);
  }

  getAlignment(target: TargetRef, id: string, options?: RequestOptions): Promise<Realignment> {
    return this.#transport.load(
      { method: "GET", path: toPath(target) + route`/realignments/${id}` },
      options,
    );
  }

  cancelAlignment(target: TargetRef, id: string, options?: RequestOptions): Promise<{ id: string }> {
    return this.#transport.load(
      { method: "DELETE", path: toPath(target) + route`/realignments/${id}` },
      options,
    );
  }
}
