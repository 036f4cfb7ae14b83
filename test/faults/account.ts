import type { Webhook } from "@stemwright/contract";
import { ApiClient } from "./api-client.ts";
import { ADMIN_KEY, type Installation } from "./installation.ts";
import type { StormLog } from "./storm-log.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

/** Far more than a storm can spend. */
export const GRANTED_CREDITS = 100_000;

export type Account = { name: string; clientId: string; api: ApiClient };

/** A metered client with a key, credits and a webhook. */
export async function openAccount(
  name: string,
  {
    installation,
    receiver,
    log,
    signal,
  }: {
    installation: Installation;
    receiver: WebhookReceiver;
    log: StormLog;
    signal: AbortSignal;
  },
): Promise<Account> {
  const { addresses } = installation;
  const admin = new ApiClient({ addresses, key: ADMIN_KEY, log });
  const post = async <Made>(api: ApiClient, path: string, json: unknown) =>
    (await api.call({ method: "POST", path, json }, signal)).body as Made;
  const { id: clientId } = await post<{ id: string }>(admin, "/admin/clients", { name, metered: true });
  const { secret: key } = await post<{ secret: string }>(admin, `/admin/clients/${clientId}/keys`, { name });
  await post(admin, `/admin/clients/${clientId}/credits`, {
    amount: GRANTED_CREDITS,
    note: "For the storm",
  });
  const api = new ApiClient({ addresses, key, log });
  const { secret } = await post<Webhook>(api, "/webhooks", { url: receiver.urlFor(name) });
  receiver.setSecret(name, secret);
  return { name, clientId, api };
}
