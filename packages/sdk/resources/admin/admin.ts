import type { QueueState, ServiceHealth, Worker } from "@stemwright/contract";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";
import { ClientLedger } from "./client-ledger.ts";
import { Clients } from "./clients.ts";
import { Keys } from "./keys.ts";
import { ModelGrants } from "./model-grants.ts";

/** Administration; needs a key of the role `admin`. */
export class Admin {
  readonly clients: Clients;
  readonly keys: Keys;
  readonly modelGrants: ModelGrants;
  readonly credits: ClientLedger;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.clients = new Clients(transport);
    this.keys = new Keys(transport);
    this.modelGrants = new ModelGrants(transport);
    this.credits = new ClientLedger(transport);
    this.#transport = transport;
  }

  /** All workers, including those that died within the last day. */
  workers(options?: RequestOptions): Promise<Worker[]> {
    return this.#transport.load({ method: "GET", path: "/admin/workers" }, options);
  }

  /** Job counts per queue. */
  queues(options?: RequestOptions): Promise<QueueState[]> {
    return this.#transport.load({ method: "GET", path: "/admin/queue" }, options);
  }

  /** Health of database, disk, queue and workers. */
  health(options?: RequestOptions): Promise<ServiceHealth> {
    return this.#transport.load({ method: "GET", path: "/admin/health" }, options);
  }

  /** Metrics in the Prometheus text format. */
  metrics(options: RequestOptions = {}): Promise<string> {
    return this.#transport.send({ method: "GET", path: "/metrics" }, options, (response) => response.text());
  }
}
