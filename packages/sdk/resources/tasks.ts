import type {
  OutputFile,
  Target,
  TargetInput,
  TargetStatus,
  Task,
  TaskEstimate,
  TaskExports,
  TaskInput,
  TaskListItem,
  WordsVersion,
} from "@stemwright/contract";
import { platform } from "#platform";
import { type DownloadOptions, openLink } from "../downloads/open-link.ts";
import { type Listing, type ListQuery, makeListing } from "../http/listing.ts";
import { route } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { getFreshLink, nameOutputs } from "../tasks/outputs.ts";
import { type RunInput, type RunOptions, runTask } from "../tasks/run-task.ts";
import { followTask, type TaskEvent } from "../tasks/task-events.ts";
import { type WaitOptions, waitForTask } from "../tasks/wait-for-task.ts";
import type { Assets } from "./assets.ts";
import { Previews } from "./preview-chunks.ts";
import { TaskShares } from "./shares.ts";
import { TaskWords } from "./task-words.ts";

/** Filters look through the newest 20 000 Tasks of the given dates. */
export type TaskQuery = ListQuery & {
  /** `error` when a target of a finished Task failed. */
  status?: TargetStatus;
  /** Tasks with a target of this model. */
  model?: string;
  /** Text in the id, the url, the metadata or the asset's name. */
  search?: string;
  /** Tasks created at that time or later: a date, or a date and time, in ISO 8601. */
  createdAfter?: string;
  /** Tasks created before that time. */
  createdBefore?: string;
};

export type SaveAllOptions = DownloadOptions & {
  /** File name for an output; by default `<name>.<format>`, e.g. `vocals.wav`. */
  toName?: (output: OutputFile, target: Target) => string;
};

/** Processing requests: one input, 1 to 20 targets. */
export class Tasks {
  readonly words: TaskWords;
  readonly shares: TaskShares;
  readonly #transport: Transport;
  readonly #assets: Assets;
  /** What a player needs. */
  readonly previews: Previews;

  constructor(transport: Transport, assets: Assets) {
    this.words = new TaskWords(transport);
    this.shares = new TaskShares(transport);
    this.#transport = transport;
    this.#assets = assets;
    this.previews = new Previews(transport, (id) => route`/tasks/${id}/previews`);
  }

  /**
   * Uploads the input if needed, creates a Task and waits for it. Resolves even if targets failed: check their `status`.
   *
   * @example
   * const task = await client.tasks.run("song.mp3", [{ model: "vocals", formats: ["wav"] }], {
   *   onProgress: ({ progress, etaSeconds }) => console.log(progress, etaSeconds),
   *   onQueueUpdate: ({ position }) => console.log(`${position} in line`),
   *   signal: AbortSignal.timeout(600_000),
   * });
   * await client.tasks.saveAll(task, "stems");
   */
  run(input: RunInput, targets: TargetInput[], options: RunOptions = {}): Promise<Task> {
    return runTask({ tasks: this, assets: this.#assets }, { input, targets }, options);
  }

  /**
   * @example
   * const { id } = await client.tasks.create({ assetId, targets: [{ model: "transcription", formats: ["srt"] }] });
   */
  create(task: TaskInput, options?: RequestOptions): Promise<Task> {
    return this.#transport.load({ method: "POST", path: "/tasks", json: task }, options);
  }

  /** Cost of a Task. Makes the same checks as `create` but runs nothing. */
  estimate(task: TaskInput, options?: RequestOptions): Promise<TaskEstimate> {
    return this.#transport.load({ method: "POST", path: "/tasks/estimate", json: task }, options);
  }

  /** All Tasks, newest first: `for await (const task of client.tasks.list())`. */
  list(query: TaskQuery = {}, options?: RequestOptions): Listing<TaskListItem> {
    return makeListing(this.#transport, { path: "/tasks", query }, options);
  }

  /** Current state, with fresh download links. */
  get(id: string, options?: RequestOptions): Promise<Task> {
    return this.#transport.load({ method: "GET", path: route`/tasks/${id}` }, options);
  }

  /** Ends unfinished targets with error 4001, free of charge. */
  cancel(id: string, options?: RequestOptions): Promise<Task> {
    return this.#transport.load({ method: "POST", path: route`/tasks/${id}/cancel` }, options);
  }

  /** Deletes the Task and its files. */
  delete(id: string, options?: RequestOptions): Promise<{ id: string }> {
    return this.#transport.load({ method: "DELETE", path: route`/tasks/${id}` }, options);
  }

  /**
   * Server-sent events of a Task. Reconnects by itself.
   *
   * @example
   * for await (const event of client.tasks.events(id))
   *   if (event.type === "target") console.log(event.target.model, event.target.progress);
   */
  events(id: string, options?: RequestOptions): AsyncIterable<TaskEvent> {
    return followTask(this.#transport, id, options);
  }

  /** Links to all outputs in one file: as a zip, with words as edited unless the version is `original`, and for DJ software. */
  exports(
    id: string,
    { version, ...options }: RequestOptions & { version?: WordsVersion } = {},
  ): Promise<TaskExports> {
    return this.#transport.load(
      { method: "GET", path: route`/tasks/${id}/exports`, query: { version } },
      options,
    );
  }

  /**
   * Downloads an export, by its link.
   *
   * @example
   * const { archive } = await client.tasks.exports(id);
   * if (archive) await pipeline((await client.tasks.openExport(archive.link)).body, createWriteStream("stems.zip"));
   */
  openExport(link: string, options?: RequestOptions): Promise<Response> {
    return this.#transport.open({ method: "GET", path: link, isLink: true }, options);
  }

  /** Resolves with the finished Task. Aborting the signal does not cancel the Task. */
  wait(task: Task | string, options?: WaitOptions): Promise<Task> {
    return waitForTask(this.#transport, task, options);
  }

  /**
   * Downloads an output. The result is a fetch `Response` with `body`, `blob()`, `json()` and `text()`. Expired links are
   * renewed, dropped connections resume by Range.
   *
   * @example
   * const [subtitles] = task.targets[0].output;
   * console.log(await (await client.tasks.download(task, subtitles)).text());
   */
  download(task: Task, output: OutputFile, options: DownloadOptions = {}): Promise<Response> {
    const renew = async () => getFreshLink(task, output, await this.get(task.id, options));
    return openLink(this.#transport, { link: output.link, renew }, options);
  }

  /** Downloads an output to a file, atomically. */
  async save(task: Task, output: OutputFile, path: string, options: DownloadOptions = {}): Promise<void> {
    const { body } = await this.download(task, output, options);
    if (body) await platform.writeFile(path, body);
  }

  /** Downloads all outputs into a folder and returns their paths. */
  async saveAll(task: Task, folder: string, options: SaveAllOptions = {}): Promise<string[]> {
    const { toName, ...rest } = options;
    const paths: string[] = [];
    for (const { output, name } of nameOutputs(task, toName)) {
      const path = platform.joinPath(folder, name);
      await this.save(task, output, path, rest);
      paths.push(path);
    }
    return paths;
  }
}
