import type { Socket } from "node:net";
import pg from "pg";
import { findWriter, forgetWriter } from "./find-writer.ts";
import { type DatabaseHost, parseHosts } from "./parse-hosts.ts";
import { ReadOnlyServer } from "./read-only-server.ts";

/** A server that does not take leave of us within this time is gone, or frozen. */
const END_MS = 1000;
/** For one of several hosts, while looking for the one that accepts writes. */
const SEARCH_MS = 3000;
/** What a stopping process waits for an answer of the database. */
export const STOPPING_ANSWER_MS = 4000;
/** How often a stopping process looks at its connections. */
const LOOK_MS = 200;
/** pg has no error code for it. */
const READ_TIMEOUT = "Query read timeout";
const READ_ONLY = "25006";
const IS_READ_ONLY = "select current_setting('transaction_read_only') = 'on' as is_read_only";

type Connect = (error: Error | null | undefined, client?: pg.Client) => void;
type Parameter = { parameterName: string; parameterValue: string };
type Inner = {
  on(event: "parameterStatus", listener: (parameter: Parameter) => void): void;
  stream: Socket;
};

/** Of the process; those that are connecting as well. */
const open = new Set<SteadyClient>();

/**
 * While a process stops, no query and no connection may take longer than this: a database that does not answer must not keep it. Returns how to end that.
 */
export function limitAnswers(limitMs: number): () => void {
  const timer = setInterval(() => {
    for (const client of open) if (client.busyMs() > limitMs) client.breakOff();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * A connection that leads to a server that accepts writes, and never waits for one that is gone.
 *
 * It needs no `error` listener. When a connection breaks, its running query rejects and the pool replaces it at its next use. But pg also emits `error`, even
 * while the connection is idle or just released, and an unhandled `error` crashes the process.
 */
export class SteadyClient extends pg.Client {
  readonly #url: string;
  readonly #hosts: readonly DatabaseHost[];
  readonly #config: pg.ClientConfig;
  /** As the server, or a pooler before it, reported when connecting. */
  #isMaybeReadOnly = false;
  #isClosed = false;
  /** Queries without a result yet, and the connecting itself. */
  #running = 0;
  #busySinceMs = 0;

  constructor(config: pg.ClientConfig = {}) {
    const url = config.connectionString ?? "";
    const parsed = parseHosts(url);
    super(parsed ? { ...config, connectionString: parsed.firstUrl } : config);
    this.#url = url;
    this.#hosts = parsed?.hosts ?? [];
    this.#config = config;
    this.on("error", () => forgetWriter(url));
    this.once("end", () => open.delete(this));
    innerOf(this).on("parameterStatus", ({ parameterName, parameterValue }) => {
      if (parameterName === "in_hot_standby" || parameterName === "default_transaction_read_only")
        this.#isMaybeReadOnly ||= parameterValue === "on";
    });
  }

  // The library's types have an overload each for a callback and a promise.
  override connect = ((callback?: Connect): Promise<pg.Client> | undefined => {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client),
      (error: Error) => callback(error),
    );
    return undefined;
  }) as pg.Client["connect"];

  async #connect(): Promise<this> {
    // pg never settles `connect` if the client is ended meanwhile.
    const ended = new Promise<never>((_resolve, reject) => {
      this.once("end", () => reject(new Error("Connection terminated")));
    });
    ended.catch(() => {});
    this.#begin();
    open.add(this);
    try {
      if (this.#hosts.length > 1)
        Object.assign(this, await findWriter(this.#url, this.#hosts, (host) => this.#tryHost(host)));
      if (this.#isClosed) throw new Error("Connection terminated");
      await Promise.race([super.connect(), ended]);
      // A pooler may report what was so earlier.
      if (this.#isMaybeReadOnly) await this.requireWritable();
      return this;
    } catch (error) {
      forgetWriter(this.#url);
      this.breakOff();
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  #begin(): void {
    if (this.#running === 0) this.#busySinceMs = performance.now();
    this.#running += 1;
  }

  /** How long it has been waiting for the server. */
  busyMs(): number {
    return this.#running === 0 ? 0 : performance.now() - this.#busySinceMs;
  }

  async #tryHost(host: DatabaseHost): Promise<void> {
    const config = { ...this.#config, connectionTimeoutMillis: SEARCH_MS, query_timeout: SEARCH_MS };
    const { firstUrl = "" } = parseHosts(this.#url) ?? {};
    const client = new SteadyClient({ ...config, connectionString: firstUrl });
    Object.assign(client, host);
    await client.connect();
    await client.end();
  }

  /** Fails, and closes the connection, if the server takes no writes. */
  async requireWritable(): Promise<void> {
    const { rows } = await this.query<{ is_read_only: boolean }>(IS_READ_ONLY);
    if (!rows[0]?.is_read_only) return;
    const error = new ReadOnlyServer();
    this.#note(error);
    throw error;
  }

  // The library's query has nine overloads, which take a callback or return a promise.
  override query = ((...given: unknown[]) => {
    this.#begin();
    const settle = (error?: Error | null) => {
      this.#running -= 1;
      if (error) this.#note(error);
    };
    const callback = given.at(-1);
    if (typeof callback === "function") {
      const settled = (error: Error | null, result: unknown) => {
        settle(error);
        callback(error, result);
      };
      return this.send([...given.slice(0, -1), settled]);
    }
    const result: unknown = this.send(given);
    if (result instanceof Promise) result.then(() => settle(), settle);
    return result;
  }) as pg.Client["query"];

  protected send(given: unknown[]): unknown {
    return super.query(...(given as [string]));
  }

  /**
   * After a timeout the late answer could arrive during the next query; and a server that does not answer or takes no writes is not asked again. Other
   * connections to it that are idle are closed as well, so that not each of them has to find out.
   */
  #note(error: Error & { code?: string }): void {
    if (error.message !== READ_TIMEOUT && error.code !== READ_ONLY) return;
    forgetWriter(this.#url);
    this.breakOff();
    for (const other of open) if (other.#url === this.#url && other.#isIdle()) other.#drop();
  }

  #isIdle(): boolean {
    return this.#running === 0 && this.getTransactionStatus() === "I";
  }

  /** Closes at once, without waiting for the server, which then releases the session's locks. */
  breakOff(): void {
    this.#isClosed = true;
    open.delete(this);
    // Marks it as closed, for the pool.
    void super.end();
    innerOf(this).stream.destroy();
  }

  /** As if the server had closed it: a pool in which it is idle then forgets it. */
  #drop(): void {
    innerOf(this).stream.destroy();
  }

  override end = ((callback?: () => void): Promise<void> | undefined => {
    this.#isClosed = true;
    const timer = setTimeout(() => this.breakOff(), END_MS);
    const ended = super.end().finally(() => clearTimeout(timer));
    if (callback === undefined) return ended;
    void ended.then(callback);
    return undefined;
  }) as pg.Client["end"];
}

const innerOf = (client: pg.Client): Inner => (client as unknown as { connection: Inner }).connection;
