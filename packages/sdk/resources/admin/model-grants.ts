import type { ModelGrant, ModelGrantInput } from "@stemwright/contract";
import { route } from "../../http/route.ts";
import type { Transport } from "../../http/transport.ts";
import type { RequestOptions } from "../../options.ts";

/** Per-client access to models, and rates. */
export class ModelGrants {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(clientId: string, options?: RequestOptions): Promise<ModelGrant[]> {
    return this.#transport.load({ method: "GET", path: route`/admin/clients/${clientId}/models` }, options);
  }

  /**
   * @example
   * await client.admin.modelGrants.set(clientId, "multi_voice", { access: "enabled", creditsPerMinute: 2 });
   */
  set(
    clientId: string,
    model: string,
    grant: ModelGrantInput,
    options?: RequestOptions,
  ): Promise<ModelGrant> {
    const path = route`/admin/clients/${clientId}/models/${model}`;
    return this.#transport.load({ method: "PUT", path, json: grant }, options);
  }

  /** Restores the catalogue's terms. */
  delete(clientId: string, model: string, options?: RequestOptions): Promise<{ model: string }> {
    const path = route`/admin/clients/${clientId}/models/${model}`;
    return this.#transport.load({ method: "DELETE", path }, options);
  }
}
