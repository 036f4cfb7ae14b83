import type { DistributionRow, UsageRow } from "@stemwright/contract";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

export type StatisticsQuery = {
  /** Limit to the last months, including the current one. */
  months?: number;
};

/** Usage of the account. */
export class Statistics {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Completed targets and minutes per month, newest first. */
  usage(query: StatisticsQuery = {}, options?: RequestOptions): Promise<UsageRow[]> {
    return this.#load("usage", query, options);
  }

  /** Completed targets, minutes and credits per model, most used first. */
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
