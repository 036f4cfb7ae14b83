import type { DistributionRow, UsageRow } from "@stemwright/contract";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

export type StatisticsQuery = {
  /** Only the last so many months, the current one counted. */
  months?: number;
};

/** What the account has used. */
export class Statistics {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Completed targets and minutes, a row a month, newest first. */
  usage(query: StatisticsQuery = {}, options?: RequestOptions): Promise<UsageRow[]> {
    return this.#load("usage", query, options);
  }

  /** Completed targets, minutes and credits, a row a model, most used first. */
  distribution(query: StatisticsQuery = {}, options?: RequestOptions): Promise<DistributionRow[]> {
    return this.#load("distribution", query, options);
  }

  #load<Row>(name: string, { months }: StatisticsQuery, options?: RequestOptions): Promise<Row[]> {
    return this.#transport.load(
      { method: "GET", path: "/tasks/statistics", query: { name, months } },
      options,
    );
  }
}
