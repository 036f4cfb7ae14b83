import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { CliError } from "../cli-error.ts";
import { cacheDir, findApiKey, findBaseUrl, modelsDir } from "../environment.ts";
import { EXIT_CODES, type ExitReason } from "../exit-codes.ts";
import { type Analysis, toAnalysisPage } from "./analysis-page.ts";
import type { Job, Runner } from "./job.ts";
import { isUrl, listInputs } from "./list-inputs.ts";
import { DEFAULT_PATTERNS, toOutputPattern } from "./output-pattern.ts";
import { planOutputPaths } from "./plan-output-paths.ts";
import { makeReporter, type Reporter } from "./reporter.ts";
import { runJobs } from "./run-jobs.ts";
import type { WantedTarget } from "./wanted-target.ts";
import type { WorkOptions } from "./work-options.ts";

export type Wanted = {
  files: readonly string[];
  options: WorkOptions;
  kind: WantedTarget["kind"];
  formats: readonly string[];
  makeTargets: (input: string, formats: readonly string[]) => WantedTarget[];
};

/** Everything between the command line and the exit code. */
export async function workOnFiles(wanted: Wanted): Promise<number> {
  const { options } = wanted;
  const isContentOnStdout = options.output === "-";
  const isPage = wanted.kind === "analysis" && !options.json && !isContentOnStdout;
  const plain = makeReporter({ json: options.json, isContentOnStdout });
  const reporter = isPage ? withPages(plain) : plain;
  const stopping = stopOnSignal(reporter);
  const scratch = new Scratch();
  let runner: Promise<Runner> | undefined;
  try {
    const files = await Promise.all(wanted.files.map((file) => (file === "-" ? scratch.takeStdin() : file)));
    const jobs = makeJobs(await listInputs(files, options), wanted, scratch);
    await checkJobs(jobs, wanted);
    // Loading the engine is too slow for the first output: the first job that has work to do loads it.
    const getRunner = () => {
      runner ??= openRunner(wanted, reporter, jobs);
      return runner;
    };
    const run = (some: readonly Job[]) =>
      runJobs(some, {
        getRunner,
        reporter,
        signal: stopping.signal,
        atOnce: options.server === undefined ? 1 : toNumber(options.jobs),
        force: options.force,
      });
    let reason = await run(jobs);
    if (options.watch) {
      const { watchFolders } = await import("./watch-folders.ts");
      for await (const inputs of watchFolders(files, { ...options, signal: stopping.signal })) {
        const after = await run(makeJobs(inputs, wanted, scratch));
        reason = after === "DONE" ? reason : after;
      }
      // Ctrl-C is how watching ends.
      if (reason === "INTERRUPTED") reason = "DONE";
    }
    if (isContentOnStdout && reason === "DONE") await writeToStdout(jobs);
    return EXIT_CODES[reason].code;
  } finally {
    stopping.release();
    await runner?.then(
      (opened) => opened.close(),
      () => {},
    );
    await scratch.remove();
  }
}

/** Prints the analysis of each input after the paths of its files. */
function withPages(reporter: Reporter): Reporter {
  const print = (input: string, outputs: readonly string[]) => {
    const path = outputs.find((output) => output.endsWith(".json"));
    if (path === undefined) return;
    try {
      const analysis = JSON.parse(readFileSync(path, "utf8")) as Analysis;
      process.stdout.write(`\n${toAnalysisPage(basename(input), analysis)}`);
    } catch (error) {
      // The files are there: a page that can't be printed is no failure.
      if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    }
  };
  return {
    ...reporter,
    done(input, outputs) {
      reporter.done(input, outputs);
      print(input, outputs);
    },
    skipped(input, outputs) {
      reporter.skipped(input, outputs);
      print(input, outputs);
    },
  };
}

function toNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 64)
    throw new CliError("USAGE", `--jobs ${text}: it must be a number from 1 to 64.`);
  return number;
}

function makeJobs(inputs: readonly string[], wanted: Wanted, scratch: Scratch): Job[] {
  const { kind, options, makeTargets, formats } = wanted;
  const pattern =
    options.output === "-"
      ? join(scratch.outputDir, "{stem}.{ext}")
      : toOutputPattern(options.output, DEFAULT_PATTERNS[kind]);
  return inputs.map((input) => {
    const targets = makeTargets(input, formats);
    // Standard input has no folder.
    const place = scratch.has(input) ? pattern.replace("{dir}", ".") : pattern;
    const plan = { input, targets, pattern: place };
    return { ...plan, outputs: planOutputPaths(plan) };
  });
}

async function checkJobs(jobs: readonly Job[], { kind, options }: Wanted): Promise<void> {
  const isOneFile = jobs.length === 1 && jobs[0]?.outputs.length === 1 && kind !== "voices";
  if (options.output === "-" && !isOneFile)
    throw new CliError(
      "USAGE",
      "Standard output takes one file: give one input, one stem (--stems) and one format (--format).",
    );
  const paths = jobs.flatMap(({ outputs }) => outputs.map(({ path }) => path));
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined)
    throw new CliError("USAGE", `Two inputs would both make ${twice}; put {dir} or {name} into --output.`);
  for (const { input, targets } of jobs) {
    if (options.server === undefined && isUrl(input))
      throw new CliError(
        "USAGE",
        `${input} is a URL: download it first, or let a service fetch it (--server).`,
      );
    for (const { transcriptPath } of targets)
      if (transcriptPath !== undefined && !(await stat(transcriptPath).catch(() => undefined)))
        throw new CliError(
          "NO_INPUT",
          `${transcriptPath} does not exist; --text names the text of ${input}.`,
        );
  }
}

const listRead = ({ input, targets }: Job) => [
  input,
  ...targets.flatMap(({ transcriptPath }) => transcriptPath ?? []),
];

async function openRunner({ options }: Wanted, reporter: Reporter, jobs: readonly Job[]): Promise<Runner> {
  if (options.server === undefined) {
    const [{ openLocalRunner }, { engineSettings }] = await Promise.all([
      import("./local-runner.ts"),
      import("../models/engine-settings.ts"),
    ]);
    return openLocalRunner({
      ...(await engineSettings()),
      modelsDir: modelsDir(),
      onNotice: (notice) => reporter.note(notice),
      reads: jobs.flatMap(listRead),
    });
  }
  const [{ ServerRunner }, { Stemwright }] = await Promise.all([
    import("./server-runner.ts"),
    import("@stemwright/sdk"),
  ]);
  const url = options.server === true ? findBaseUrl() : options.server;
  const client = new Stemwright({ ...(url ? { baseUrl: url } : {}), apiKey: findApiKey() ?? null });
  return new ServerRunner({ client, cacheDir: cacheDir() });
}

async function writeToStdout(jobs: readonly Job[]): Promise<void> {
  const path = jobs[0]?.outputs[0]?.path;
  if (path !== undefined) await pipeline(createReadStream(path), process.stdout, { end: false });
}

/** The first Ctrl-C stops gracefully; a second one ends the process. */
function stopOnSignal(reporter: Reporter) {
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) process.exit(EXIT_CODES.INTERRUPTED.code satisfies number);
    reporter.note("stopping; the same command resumes from here");
    stopping.abort(new CliError("INTERRUPTED" satisfies ExitReason, "interrupted"));
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, stop);
  const release = () => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, stop);
  };
  return { signal: stopping.signal, release };
}

/** Temporary files for standard input and output, removed when the command ends. */
class Scratch {
  #dir: string | undefined;
  #stdinPath: string | undefined;

  has(path: string): boolean {
    return path === this.#stdinPath;
  }

  get outputDir(): string {
    return join(this.#dir ?? join(cacheDir(), `stdout-${process.pid}`), "out");
  }

  async takeStdin(): Promise<string> {
    await mkdir(cacheDir(), { recursive: true, mode: 0o700 });
    this.#dir = await mkdtemp(join(cacheDir(), "stdin-"));
    this.#stdinPath = join(this.#dir, "stdin");
    await pipeline(process.stdin, createWriteStream(this.#stdinPath, { mode: 0o600 }));
    return this.#stdinPath;
  }

  async remove(): Promise<void> {
    if (this.#dir !== undefined) await rm(this.#dir, { recursive: true, force: true });
    await rm(join(this.outputDir, ".."), { recursive: true, force: true });
  }
}
