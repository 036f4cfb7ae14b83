import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Client, Task } from "@stemwright/contract";
import { type FlacBomb, makeFlacBomb } from "../test/support/flac-bomb.ts";
import { type Service, startService } from "../test/support/service.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { describeRun } from "./machine.ts";

/*
 * Tries to exceed the limits with files that grow when decoded, and with concurrent uploads; exits with 1 if anything succeeds. The service is started as
 * a user starts it, with one worker.
 */
const MIB = 1024 ** 2;
const UPLOADS = 60;
const UPLOAD_BYTES = MIB;
const QUOTA_BYTES = 20 * MIB;
const ROUNDS = 5;
const MAX_DECODED_BYTES = 200 * MIB;

const lines: string[] = [];
let faults = 0;
const report = (...added: string[]) => {
  lines.push(...added);
  for (const line of added) console.log(line);
};

type Account = { clientId: string; key: string };

async function ask<Answer>(service: Service, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await service.call(path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function addAccount(service: Service, storageQuotaBytes: number): Promise<Account> {
  const { id } = await ask<Client>(service, "POST", "/admin/clients", { name: "Bench", storageQuotaBytes });
  const { secret } = await ask<{ secret: string }>(service, "POST", `/admin/clients/${id}/keys`, {
    name: "Bench",
  });
  return { clientId: id, key: secret };
}

const loadUse = async (service: Service, { clientId }: Account) => {
  const { storage } = await ask<Client>(service, "GET", `/admin/clients/${clientId}`);
  return storage.assetsBytes + storage.outputsBytes + storage.heldBytes;
};

async function upload(service: Service, { key }: Account, content: Uint8Array<ArrayBuffer>, name: string) {
  const form = new FormData();
  form.append("file", new File([content], name));
  const response = await service.call("/assets", {
    method: "POST",
    body: form,
    headers: { "x-api-key": key },
  });
  const { id, code } = (await response.json()) as { id?: string; code?: string };
  return { status: response.status, id, code };
}

/** Concurrent uploads, and the peak use during them. */
async function race(service: Service): Promise<void> {
  report("", `## ${UPLOADS} uploads of 1 MiB at once into a quota of 20 MiB`, "");
  report(
    "| round | stored | refused (413) | 503 | most bytes taken | bytes above the quota |",
    "|---|---|---|---|---|---|",
  );
  const content = new Uint8Array(UPLOAD_BYTES);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const account = await addAccount(service, QUOTA_BYTES);
    let mostBytes = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) mostBytes = Math.max(mostBytes, await loadUse(service, account));
    })();
    const answers = await Promise.all(
      Array.from({ length: UPLOADS }, () => upload(service, account, content, "a.wav")),
    );
    isOver = true;
    await watching;
    const takenBytes = await loadUse(service, account);
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    const aboveBytes = Math.max(0, Math.max(mostBytes, takenBytes) - QUOTA_BYTES);
    // The count equals what is stored, nothing is still reserved, and nobody was refused while there was free space.
    if (aboveBytes > 0 || takenBytes !== count(200) * UPLOAD_BYTES || count(200) < 10) faults += 1;
    report(`| ${round} | ${count(200)} | ${count(413)} | ${count(503)} | ${mostBytes} | ${aboveBytes} |`);
  }
}

type BombCase = { title: string; bomb: FlacBomb; quotaBytes: number; expected: string };

const HOUR = 3600;
const CASES: BombCase[] = [
  {
    title: "2 h of 192 kHz in 8 channels, as its header says",
    bomb: { sampleRateHz: 192_000, channels: 8, lengthFrames: 2 * HOUR * 192_000 },
    quotaBytes: 0,
    expected: "400 MEDIA_TOO_LARGE",
  },
  {
    title: "2 min of 655 kHz in 8 channels, as its header says",
    bomb: { sampleRateHz: 655_350, channels: 8, lengthFrames: 120 * 655_350 },
    quotaBytes: 0,
    expected: "400 MEDIA_TOO_LARGE",
  },
  {
    title: "the same, without a length in its header",
    bomb: { sampleRateHz: 655_350, channels: 8, lengthFrames: 120 * 655_350, isLengthHidden: true },
    quotaBytes: 0,
    expected: "1009",
  },
  {
    title: "2 min of 48 kHz stereo into a quota of 20 MiB",
    bomb: { sampleRateHz: 48_000, channels: 2, lengthFrames: 120 * 48_000 },
    quotaBytes: QUOTA_BYTES,
    expected: "413 STORAGE_QUOTA_EXCEEDED",
  },
  {
    title: "the same, without a length in its header",
    bomb: { sampleRateHz: 48_000, channels: 2, lengthFrames: 120 * 48_000, isLengthHidden: true },
    quotaBytes: QUOTA_BYTES,
    expected: "1010",
  },
];

async function sendBomb(service: Service, { bomb, quotaBytes }: BombCase) {
  const account = await addAccount(service, quotaBytes);
  const content = makeFlacBomb(bomb);
  const { id } = await upload(service, account, content, "bomb.flac");
  const response = await service.call("/tasks", {
    method: "POST",
    body: JSON.stringify({ assetId: id, targets: [{ model: "vocals", formats: ["wav"] }] }),
    headers: { "content-type": "application/json", "x-api-key": account.key },
  });
  const answer = (await response.json()) as Task & { code?: string };
  if (!response.ok) return { content, outcome: `${response.status} ${answer.code}` };
  const isEnded = ({ completedAt }: Task) => completedAt !== null;
  let task = answer;
  while (!isEnded(task)) {
    await wait(200);
    const read = await service.call(`/tasks/${answer.id}`, { headers: { "x-api-key": account.key } });
    task = (await read.json()) as Task;
  }
  const usedBytes = await loadUse(service, account);
  const [target] = task.targets;
  return { content, outcome: String(target?.error?.code ?? target?.status), usedBytes };
}

async function bombs(service: Service): Promise<void> {
  report("", "## Decompression bombs", "");
  report(`\`DECODED_MAX_BYTES\` is ${MAX_DECODED_BYTES} here; the default is 16 GiB.`, "");
  report("| file | bytes | decoded bytes | answer | took ms |", "|---|---|---|---|---|");
  let refused = 0;
  for (const one of CASES) {
    const { channels, lengthFrames } = one.bomb;
    const startMs = performance.now();
    const { content, outcome } = await sendBomb(service, one);
    const tookMs = performance.now() - startMs;
    if (outcome === one.expected) refused += 1;
    else faults += 1;
    report(
      `| ${one.title} | ${content.length} | ${lengthFrames * channels * 4} | ${outcome} | ${tookMs.toFixed(0)} |`,
    );
  }
  report("", `Tasks refused: ${refused} of ${CASES.length}.`);
}

async function main(): Promise<void> {
  const dataDir = await makeTempDir("bench-quota");
  const environment = {
    LOG_LEVEL: "silent",
    UPLOADS_AT_ONCE: "256",
    DECODED_MAX_BYTES: String(MAX_DECODED_BYTES),
  };
  const service = await startService({ dataDir, environment });
  try {
    report("# Quotas under races and bombs", "", ...describeRun());
    report("- `npm start` with one worker, on loopback: `npm run bench quota`");
    await race(service);
    await bombs(service);
    if (process.env.BENCH_TRIAL === undefined)
      await writeFile(join(import.meta.dirname, "results", "quota.md"), `${lines.join("\n")}\n`);
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  if (faults > 0) console.error(`${faults} faults`);
  process.exitCode = faults > 0 ? 1 : 0;
}

await main();
