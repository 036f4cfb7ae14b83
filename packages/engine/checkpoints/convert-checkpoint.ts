import type { ChildProcess } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Duplex } from "node:stream";
import type { z } from "zod";
import { openInputFile } from "../media/open-input-file.ts";
import { getSandboxMode } from "../media/sandbox-mode.ts";
import { FIRST_FILE_FD, spawnConfined } from "../media/start-media-child.ts";
import { CheckpointError } from "./checkpoint-error.ts";
import {
  type CheckpointFacts,
  type CheckpointReport,
  type CheckpointRequest,
  type CheckpointWork,
  checkpointFactsSchema,
  checkpointReportSchema,
  settingsSchema,
} from "./checkpoint-request.ts";
import type { Plain } from "./checkpoint-state.ts";

const CHILD_PATH = join(import.meta.dirname, "child", `checkpoint-child${extname(import.meta.filename)}`);
const CHANNEL_FD = 3;
/** Longer than any facts: a child that was taken over by a file may send anything. */
const MAX_REPORT_CHARS = 1 << 24;
/** A child that neither reads nor writes for so long is stuck. */
const STALL_LIMIT_MS = 120_000;

type Hooks = { onProgress?: ((fraction: number) => void) | undefined; signal?: AbortSignal | undefined };

/** Reads a checkpoint in a sandboxed process, which writes its tensors to `outputPath` as safetensors. */
export async function convertCheckpoint(
  inputPath: string,
  outputPath: string,
  hooks: Hooks = {},
): Promise<CheckpointFacts> {
  await using files = new AsyncDisposableStack();
  const input = await openForReading(inputPath, files);
  const output = files.adopt(await open(outputPath, "wx", 0o600), (file) => file.close());
  return await askChild({
    work: { kind: "convert", inputFd: FIRST_FILE_FD, outputFd: FIRST_FILE_FD + 1 },
    files: [input, output],
    resultSchema: checkpointFactsSchema,
    hooks,
  });
}

/** The settings of a YAML file, read in a sandboxed process. */
export async function readConfigurationFile(path: string): Promise<{ [key: string]: Plain }> {
  await using files = new AsyncDisposableStack();
  const input = await openForReading(path, files);
  return await askChild({
    work: { kind: "configuration", inputFd: FIRST_FILE_FD },
    files: [input],
    resultSchema: settingsSchema,
    hooks: {},
  });
}

async function openForReading(path: string, files: AsyncDisposableStack): Promise<FileHandle> {
  const { file } = await openInputFile(path);
  return files.adopt(file, (one) => one.close());
}

async function askChild<Result>({
  work,
  files,
  resultSchema,
  hooks: { onProgress, signal },
}: {
  work: CheckpointWork;
  files: readonly FileHandle[];
  resultSchema: z.ZodType<Result>;
  hooks: Hooks;
}): Promise<Result> {
  signal?.throwIfAborted();
  const child = await spawnConfined(CHILD_PATH, files);
  const stop = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", stop);
  try {
    const report = await listenTo(child, { work, sandbox: getSandboxMode() }, onProgress);
    signal?.throwIfAborted();
    if (report.kind === "failed") throw new CheckpointError(report.errorKind, report.message);
    return parseResult(resultSchema, report.result);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function parseResult<Result>(schema: z.ZodType<Result>, result: unknown): Result {
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new CheckpointError(
    "machine-failed",
    "The process that reads the checkpoint returned an invalid result.",
    {
      cause: parsed.error,
    },
  );
}

/** The last report of a child, once it has ended, so that nothing of it outlives the call. */
function listenTo(
  child: ChildProcess,
  request: CheckpointRequest,
  onProgress: Hooks["onProgress"],
): Promise<Exclude<CheckpointReport, { kind: "progress" }>> {
  const { promise, resolve, reject } =
    Promise.withResolvers<Exclude<CheckpointReport, { kind: "progress" }>>();
  // Without free file descriptors there is none, whatever the types say.
  const channel = (child.stdio as readonly unknown[] | undefined)?.[CHANNEL_FD] as Duplex | undefined;
  const fail = (message: string, cause?: unknown) => {
    child.kill("SIGKILL");
    reject(new CheckpointError("machine-failed", message, { cause }));
  };
  child.on("error", (cause) => fail("The process that reads checkpoints cannot be started.", cause));
  if (!channel) {
    fail("The process that reads checkpoints cannot be started (out of file descriptors).");
    return promise;
  }
  let last: Exclude<CheckpointReport, { kind: "progress" }> | undefined;
  const stall = setTimeout(
    () => fail("Reading the checkpoint made no progress and was stopped."),
    STALL_LIMIT_MS,
  );
  const receive = (line: string) => {
    stall.refresh();
    const report = checkpointReportSchema.parse(JSON.parse(line));
    if (report.kind === "progress") onProgress?.(report.fraction);
    else last = report;
  };
  readLines(channel, receive, () =>
    fail("The process that reads checkpoints sent nonsense and was stopped."),
  );
  child.stdin?.on("error", () => {});
  child.stderr?.resume();
  child.on("close", (code, signal) => {
    clearTimeout(stall);
    if (last) resolve(last);
    else reject(makeEndError(code, signal));
  });
  channel.write(`${JSON.stringify(request)}\n`);
  return promise;
}

function readLines(channel: Duplex, onLine: (line: string) => void, onNonsense: () => void): void {
  let pending = "";
  channel.setEncoding("utf8");
  // A child that died shows as EPIPE here; its end is reported elsewhere.
  channel.on("error", () => {});
  channel.on("data", (text: string) => {
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    try {
      if (pending.length > MAX_REPORT_CHARS) throw new RangeError("a report without end");
      lines.forEach(onLine);
    } catch {
      channel.destroy();
      onNonsense();
    }
  });
}

function makeEndError(code: number | null, signal: string | null): CheckpointError {
  const how = signal ? `signal ${signal}` : `exit code ${code}`;
  return new CheckpointError(
    "damaged",
    `The process that reads the checkpoint ended unexpectedly (${how}): the file is damaged, or needs more memory or time than any network.`,
  );
}
