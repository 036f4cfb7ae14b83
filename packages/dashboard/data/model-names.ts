import { effect, signal } from "@preact/signals";
import type { Model } from "@stemwright/sdk";
import { apiClient } from "../account/api-client.ts";
import { me } from "../account/session.ts";

const cached = signal<readonly Model[]>([]);

effect(() => {
  // Access and rates are the account's own.
  if (me.value === null) cached.value = [];
});

/** The catalogue, loaded once per visit. */
export async function loadModels(abort?: AbortSignal): Promise<readonly Model[]> {
  if (cached.value.length === 0) cached.value = await apiClient.models.list({ signal: abort });
  return cached.value;
}

/** Whether some targets are voices or instruments of a song: DJ software has no use for the stems of an interview. */
export const isMusic = (targets: readonly { model: string }[]) =>
  targets.some(({ model }) => cached.value.find(({ id }) => id === model)?.category === "instrument-stems");

/** A model's name, or its id until the catalogue is loaded. */
export const nameModel = (id: string) => cached.value.find((model) => model.id === id)?.name ?? id;
