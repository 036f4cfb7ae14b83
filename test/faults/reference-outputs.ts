import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Task } from "@stemwright/contract";
import type { Account } from "./account.ts";
import type { Recipe } from "./recipes.ts";
import { uploadSlowly } from "./slow-upload.ts";

const POLL_MS = 200;

/** SHA-256 of each of a Task's outputs, by name and format; the status for one that can't be read. */
export async function hashOutputs({ targets }: Task): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const { name, format, link } of targets.flatMap(({ output }) => output)) {
    const response = await fetch(link);
    const content = Buffer.from(await response.arrayBuffer());
    const hash = response.ok
      ? createHash("sha256").update(content).digest("hex")
      : `status ${response.status}`;
    hashes.set(`${name}.${format}`, hash);
  }
  return hashes;
}

/** The output of each recipe without faults (O8 promises the same bytes in every other case). */
export async function makeReferenceOutputs(
  account: Account,
  recipes: readonly Recipe[],
  signal: AbortSignal,
): Promise<Map<Recipe, Map<string, string>>> {
  const { api } = account;
  const outputs = new Map<Recipe, Map<string, string>>();
  for (const recipe of recipes) {
    const { id: assetId } = await uploadSlowly(account, { ...recipe, durationMs: 0 }, signal);
    const json = { assetId, targets: recipe.targets };
    let { body } = await api.call({ method: "POST", path: "/tasks", json }, signal);
    const { id } = body as Task;
    for (; (body as Task).completedAt === null; await wait(POLL_MS))
      ({ body } = await api.call({ path: `/tasks/${id}` }, signal));
    const failed = (body as Task).targets.find(({ status }) => status !== "completed");
    if (failed) throw new Error(`${recipe.name} failed without any fault: ${JSON.stringify(failed.error)}`);
    outputs.set(recipe, await hashOutputs(body as Task));
  }
  return outputs;
}
