import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Task } from "@stemwright/contract";
import { makeSeededRandom } from "../../packages/engine/dsp/seeded-random.ts";
import type { Account } from "./account.ts";
import { UnexpectedAnswer } from "./api-client.ts";
import { pickRecipe, type Recipe } from "./recipes.ts";
import { uploadSlowly } from "./slow-upload.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

const POLL_MS = 250;
const READ_PAUSE_MS = 50;
const MAX_UPLOAD_MS = 3000;
const MAX_FATE_DELAY_MS = 6000;
/** Above the size from which files are uploaded to S3 in parts. */
const LARGE_UPLOAD_BYTES = 12 * 1024 ** 2;

/** A Task that a client wants, and its fate. */
export type WantedTask = {
  account: Account;
  recipe: Recipe;
  fate: "keep" | "cancel" | "delete";
  /** Sent as metadata: however often its creation was tried, there must be one Task with it. */
  mark: string;
  /** Undefined until the creation was answered. */
  task?: Task;
  isDeleted: boolean;
  hits: number;
};
export type WantedAsset = {
  id: string;
  link: string;
  content: Uint8Array;
  account: Account;
  isDeleted: boolean;
};

export type TaskStreamOptions = {
  accounts: readonly Account[];
  recipes: readonly Recipe[];
  receiver: WebhookReceiver;
  seed: number;
  /** Concurrent Tasks. */
  lanes: number;
  /** Stops creating Tasks. */
  over: AbortSignal;
  /** Stops waiting for anything. */
  deadline: AbortSignal;
};

/** Ignores a failure: the stream continues. */
function passOver(error: unknown): void {
  if (!(error instanceof UnexpectedAnswer)) throw error;
}

/** Clients that create, follow, cancel and delete Tasks, upload and read, for the length of the storm. */
export function startTaskStream(options: TaskStreamOptions) {
  const { accounts, recipes, over, deadline } = options;
  const tasks: WantedTask[] = [];
  const assets: WantedAsset[] = [];
  const links = new Map(
    recipes.map((recipe) => [recipe, options.receiver.addFile(recipe.filename, recipe.content)]),
  );

  function want(random: () => number): WantedTask {
    const account = accounts[Math.floor(random() * accounts.length)];
    if (!account) throw new Error("there are no accounts");
    const fates = ["keep", "keep", "keep", "keep", "cancel", "delete"] as const;
    const fate = fates[Math.floor(random() * fates.length)] ?? "keep";
    return {
      account,
      recipe: pickRecipe(recipes, random),
      fate,
      mark: randomUUID(),
      isDeleted: false,
      hits: 0,
    };
  }

  async function upload(
    account: Account,
    file: { filename: string; content: Uint8Array },
    durationMs: number,
  ) {
    const { id, link } = await uploadSlowly(account, { ...file, durationMs }, deadline);
    const asset = { id, link, content: file.content, account, isDeleted: false };
    assets.push(asset);
    return asset;
  }

  async function deleteAsset(asset: WantedAsset): Promise<void> {
    await asset.account.api.call({ method: "DELETE", path: `/assets/${asset.id}` }, deadline);
    asset.isDeleted = true;
  }

  /** Polls the Task until it is finished. */
  async function follow(wanted: WantedTask): Promise<void> {
    const path = `/tasks/${wanted.task?.id}`;
    while (!deadline.aborted && !wanted.isDeleted && wanted.task?.completedAt === null) {
      const answer = await wanted.account.api.try({ path, expected: wanted.fate === "delete" ? [404] : [] });
      if (answer?.status === 404) return;
      if (answer?.status === 200) wanted.task = answer.body as Task;
      await wait(POLL_MS);
    }
  }

  async function meetFate(wanted: WantedTask, delayMs: number): Promise<void> {
    if (wanted.fate === "keep") return;
    await wait(delayMs);
    const path = `/tasks/${wanted.task?.id}`;
    const { api } = wanted.account;
    if (wanted.fate === "cancel") await api.call({ method: "POST", path: `${path}/cancel` }, deadline);
    else {
      await api.call({ method: "DELETE", path }, deadline);
      wanted.isDeleted = true;
    }
  }

  async function live(wanted: WantedTask, random: () => number): Promise<void> {
    const { account, recipe, mark } = wanted;
    const isByUrl = random() < 0.3;
    const asset = isByUrl ? undefined : await upload(account, recipe, random() * MAX_UPLOAD_MS);
    const input = asset ? { assetId: asset.id } : { url: links.get(recipe) };
    const json = { ...input, targets: recipe.targets, metadata: mark };
    const created = await account.api.call(
      { method: "POST", path: "/tasks", json, idempotencyKey: mark },
      deadline,
    );
    wanted.task = created.body as Task;
    await Promise.all([follow(wanted), meetFate(wanted, random() * MAX_FATE_DELAY_MS)]);
    if (asset && random() < 0.3) await deleteAsset(asset);
  }

  async function runLane(lane: number): Promise<void> {
    for (let turn = 0; !over.aborted; turn += 1) {
      const random = makeSeededRandom(options.seed + 1000 * lane + turn);
      const wanted = want(random);
      tasks.push(wanted);
      await live(wanted, random).catch(passOver);
    }
  }

  /** Large files, uploaded in parts if the store supports that; half of them are deleted again. */
  async function runUploads(): Promise<void> {
    const content = randomBytes(LARGE_UPLOAD_BYTES);
    for (let turn = 0; !over.aborted; turn += 1) {
      const account = accounts[turn % accounts.length];
      if (!account) return;
      const work = upload(account, { filename: "large.wav", content }, MAX_UPLOAD_MS);
      await work.then((asset) => (turn % 2 === 0 ? deleteAsset(asset) : undefined)).catch(passOver);
    }
  }

  async function runReads(): Promise<void> {
    const paths = ["/tasks?take=5", "/tasks/statistics", "/assets", "/models", "/webhooks/deliveries?take=5"];
    for (let turn = 0; !over.aborted; turn += 1) {
      await accounts[turn % accounts.length]?.api.try({ path: paths[turn % paths.length] ?? "/tasks" });
      await wait(READ_PAUSE_MS);
    }
  }

  const lanes = Array.from({ length: options.lanes }, (_, lane) => runLane(lane));
  const done = Promise.all([...lanes, runUploads(), runReads()]).then(
    () => undefined,
    (error: unknown) => {
      // After the deadline calls are abandoned; the audit reports what is missing.
      if (!deadline.aborted) throw error;
    },
  );
  return {
    tasks,
    assets,
    /** Resolves when everything started has finished, or the deadline has passed. */
    done,
    /** Tasks that a worker may be working on. */
    listRunning: () =>
      tasks.filter(
        ({ task, isDeleted }) => !isDeleted && task?.targets.some(({ queuePosition }) => queuePosition === 0),
      ),
  };
}
export type TaskStream = ReturnType<typeof startTaskStream>;
