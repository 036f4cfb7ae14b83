import type {
  NewShare,
  OutputFile,
  Share,
  SharedTask,
  ShareInput,
  TaskExports,
  TextOutputFormat,
  Words,
  WordsVersion,
} from "@stemwright/contract";
import { type DownloadOptions, openLink } from "../downloads/open-link.ts";
import { route } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { getFreshLink } from "../tasks/outputs.ts";
import { Previews } from "./preview-chunks.ts";

/** Share links of a Task. */
export class TaskShares {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a link; its URL and token are in this response only. */
  create(taskId: string, share: ShareInput = {}, options?: RequestOptions): Promise<NewShare> {
    return this.#transport.load(
      { method: "POST", path: route`/tasks/${taskId}/shares`, json: share },
      options,
    );
  }

  list(taskId: string, options?: RequestOptions): Promise<Share[]> {
    return this.#transport.load({ method: "GET", path: route`/tasks/${taskId}/shares` }, options);
  }

  revoke(taskId: string, shareId: string, options?: RequestOptions): Promise<{ id: string }> {
    return this.#transport.load(
      { method: "DELETE", path: route`/tasks/${taskId}/shares/${shareId}` },
      options,
    );
  }
}

/** What a share link shows. Needs no API key. */
export class Shares {
  /** As `client.tasks.previews`, with a token for the id. */
  readonly previews: Previews;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.previews = new Previews(transport, (token) => route`/shares/${token}/previews`);
    this.#transport = transport;
  }

  get(token: string, options?: RequestOptions): Promise<SharedTask> {
    return this.#transport.load({ method: "GET", path: route`/shares/${token}` }, options);
  }

  /** As `client.tasks.download`. */
  download(
    token: string,
    { task, output }: { task: SharedTask; output: OutputFile },
    options: DownloadOptions = {},
  ): Promise<Response> {
    const renew = async () => getFreshLink(task, output, await this.get(token, options));
    return openLink(this.#transport, { link: output.link, renew }, options);
  }

  /** As `client.tasks.exports`. */
  exports(
    token: string,
    { version, ...options }: RequestOptions & { version?: WordsVersion } = {},
  ): Promise<TaskExports> {
    return this.#transport.load(
      { method: "GET", path: route`/shares/${token}/exports`, query: { version } },
      options,
    );
  }

  words(token: string, targetId: string, options?: RequestOptions): Promise<Words> {
    return this.#transport.load(
      { method: "GET", path: route`/shares/${token}/targets/${targetId}/words` },
      options,
    );
  }

  exportWords(
    token: string,
    { targetId, format, version }: { targetId: string; format: TextOutputFormat; version?: WordsVersion },
    options?: RequestOptions,
  ): Promise<Response> {
    const path = route`/shares/${token}/targets/${targetId}/words/export`;
    return this.#transport.open({ method: "GET", path, query: { format, version } }, options);
  }
}
