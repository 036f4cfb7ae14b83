import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { CliError } from "../cli-error.ts";

const ATTEMPTS = 5;
const BACKOFF_MS = 1000;
const SILENCE_MS = 60_000;

type DownloadOptions = {
  /** Keeps what arrived, so that the next run resumes there. */
  folder: string;
  /** Remembers the sha256 of each address. */
  pinsDir: string;
  onProgress?: (fraction: number) => void;
  /** Between attempts. */
  backoffMs?: number;
};

export type CheckpointDownload = { path: string; sha256: string; fileName: string; address: string };

/** Downloads an address, in ranges if the line breaks. `#sha256=…` in it, or what it gave the first time, must be what arrives. */
export async function downloadCheckpoint(
  url: string,
  { folder, pinsDir, onProgress, backoffMs = BACKOFF_MS }: DownloadOptions,
): Promise<CheckpointDownload> {
  const { address, expected, fileName } = parseAddress(url);
  const key = createHash("sha256").update(address).digest("hex").slice(0, 32);
  const own = join(folder, key);
  await mkdir(own, { recursive: true, mode: 0o700 });
  const path = join(own, "file");
  const part = `${path}.part`;
  if (!(await sizeOf(path))) {
    await fetchAll(address, { part, onProgress, backoffMs });
    await rename(part, path);
  }
  const sha256 = await sha256Of(path);
  const pinned = expected ?? (await loadPins(pinsDir))[address];
  if (pinned !== undefined && pinned !== sha256) {
    await rm(own, { recursive: true });
    throw new CliError(
      "FAILED",
      `${address} gave a file with the sha256 ${sha256}, but ${pinned} was ${expected ? "asked for" : "pinned when it was first downloaded"}. It was not used.`,
    );
  }
  await pin(pinsDir, address, sha256);
  return { path, sha256, fileName, address };
}

function parseAddress(url: string): { address: string; expected: string | undefined; fileName: string } {
  const parsed = new URL(url);
  const [, expected] = /^#sha256=([0-9a-f]{64})$/i.exec(parsed.hash) ?? [];
  if (parsed.hash !== "" && expected === undefined)
    throw new CliError("USAGE", `${url}: after # only sha256= and 64 hexadecimal digits may follow.`);
  parsed.hash = "";
  const last = decodeURIComponent(parsed.pathname.split("/").at(-1) ?? "");
  return {
    address: parsed.href,
    expected: expected?.toLowerCase(),
    fileName: last.replace(/[/\\]/g, "_") || "network",
  };
}

async function fetchAll(
  address: string,
  {
    part,
    onProgress,
    backoffMs,
  }: { part: string; onProgress: DownloadOptions["onProgress"]; backoffMs: number },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fetchRest(address, part, onProgress);
      return;
    } catch (error) {
      if (error instanceof CliError) throw error;
      if (attempt === ATTEMPTS)
        throw new CliError(
          "UNREACHABLE",
          `${address} could not be downloaded: ${reasonOf(error)}. The same command resumes there.`,
          { cause: error },
        );
      await wait(backoffMs * 2 ** (attempt - 1));
    }
  }
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message} (${cause.message})` : message;
};

async function fetchRest(
  address: string,
  part: string,
  onProgress: DownloadOptions["onProgress"],
): Promise<void> {
  const have = await sizeOf(part);
  const validator = have > 0 ? await readFile(`${part}.etag`, "utf8").catch(() => "") : "";
  const isResumed = validator !== "";
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error("nothing arrived for a minute")), SILENCE_MS);
  try {
    const response = await fetch(address, {
      signal: silence.signal,
      headers: isResumed ? { range: `bytes=${have}-`, "if-range": validator } : {},
    });
    // The file is complete: there is nothing after its last byte.
    if (response.status === 416 && isResumed) return;
    if (!response.ok || response.body === null) throw makeStatusError(address, response.status);
    const goesOn = response.status === 206;
    const etag = response.headers.get("etag") ?? response.headers.get("last-modified") ?? "";
    await writeFile(`${part}.etag`, etag.startsWith("W/") ? "" : etag);
    let arrived = goesOn ? have : 0;
    const length = response.headers.get("content-length");
    const total = length === null ? undefined : arrived + Number(length);
    const body = Readable.fromWeb(response.body as never);
    body.on("data", (chunk: Uint8Array) => {
      timer.refresh();
      arrived += chunk.length;
      if (total) onProgress?.(arrived / total);
    });
    await pipeline(body, createWriteStream(part, { flags: goesOn ? "a" : "w", mode: 0o600 }));
    if (total !== undefined && arrived < total) throw new Error(`${arrived} of ${total} bytes arrived`);
  } finally {
    clearTimeout(timer);
  }
}

/** Errors of a server that may pass are tried again. */
function makeStatusError(address: string, status: number): Error {
  if (status >= 500 || status === 429) return new Error(`the server answers ${status}`);
  return new CliError(
    "UNREACHABLE",
    `${address} answers ${status}: look for its new address on the publisher's page.`,
  );
}

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0;

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

const PINS_FILE = "pins.json";

async function loadPins(folder: string): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(join(folder, PINS_FILE), "utf8")) as Record<string, string>;
  } catch {
    return {};
  }
}

async function pin(folder: string, address: string, sha256: string): Promise<void> {
  const pins = await loadPins(folder);
  if (pins[address] === sha256) return;
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `.${PINS_FILE}-${process.pid}`);
  await writeFile(draft, `${JSON.stringify({ ...pins, [address]: sha256 }, null, 2)}\n`);
  await rename(draft, join(folder, PINS_FILE));
}
