import type { Model, ModelList } from "@stemwright/contract";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

/** The model catalogue, with the account's access and rates. */
export class Models {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * @example
   * const models = await client.models.list();
   * console.log(models.filter(({ access }) => access === "enabled").map(({ id }) => id));
   */
  async list(options?: RequestOptions): Promise<Model[]> {
    return (await this.#transport.load<ModelList>({ method: "GET", path: "/models" }, options)).models;
  }
}
