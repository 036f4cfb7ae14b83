import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NotFoundError, type Stemwright, type TargetInput, type Task } from "@stemwright/sdk";
import { CliError } from "../cli-error.ts";
import type { Job, JobHooks, Runner } from "./job.ts";
import { makeJobKey } from "./job-key.ts";
import { type PlannedOutput, planOutputPaths } from "./plan-output-paths.ts";
import { countVoices, type WantedTarget } from "./wanted-target.ts";

type ServerOptions = { client: Stemwright; cacheDir: string };

/** Lets a service do the work; a second run of a job picks up the Task of the first. */
export class ServerRunner implements Runner {
  readonly #client: Stemwright;
  readonly #cacheDir: string;

  constructor({ client, cacheDir }: ServerOptions) {
    this.#client = client;
    this.#cacheDir = cacheDir;
  }

  /** Where the id of a running Task is saved, so that a second run picks it up. */
  async #toNotePath(job: Job): Promise<string> {
    return join(this.#cacheDir, "tasks", await makeJobKey(job.input, job.targets));
  }

  async #findTask(notePath: string, { signal }: JobHooks): Promise<Task | undefined> {
    const id = await readFile(notePath, "utf8").catch(() => undefined);
    if (id === undefined) return undefined;
    const task = await this.#client.tasks.get(id, { signal }).catch((error) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    return task?.targets.some(({ status }) => status === "error") ? undefined : task;
  }

  async #toTargetInput(target: WantedTarget, { signal }: JobHooks): Promise<TargetInput> {
    const { model, formats, variant, residual, language, transcriptPath } = target;
    const transcript =
      transcriptPath === undefined ? undefined : await this.#client.assets.upload(transcriptPath, { signal });
    return {
      model,
      formats: [...formats],
      ...(variant === undefined ? {} : { variant }),
      ...(residual === undefined ? {} : { residual }),
      ...(language === undefined ? {} : { language }),
      ...(transcript === undefined ? {} : { transcriptAssetId: transcript.id }),
    };
  }

  async #startTask(job: Job, notePath: string, hooks: JobHooks): Promise<Task> {
    const { signal, onProgress } = hooks;
    const targets: TargetInput[] = [];
    for (const target of job.targets) targets.push(await this.#toTargetInput(target, hooks));
    return await this.#client.tasks.run(job.input, targets, {
      signal,
      keepOnAbort: true,
      onCreated: (task) => void note(notePath, task.id),
      onProgress: ({ progress, etaSeconds }) => onProgress({ fraction: progress, secondsLeft: etaSeconds }),
    });
  }

  async run(job: Job, hooks: JobHooks): Promise<readonly PlannedOutput[]> {
    const { signal, onProgress } = hooks;
    const notePath = await this.#toNotePath(job);
    const known = await this.#findTask(notePath, hooks);
    const task = known
      ? await this.#client.tasks.wait(known, {
          signal,
          onProgress: ({ progress, etaSeconds }) =>
            onProgress({ fraction: progress, secondsLeft: etaSeconds }),
        })
      : await this.#startTask(job, notePath, hooks);
    const outputs = await this.#saveOutputs(task, job, signal);
    await rm(notePath, { force: true });
    return outputs;
  }

  async #saveOutputs(task: Task, job: Job, signal: AbortSignal): Promise<PlannedOutput[]> {
    for (const { model, error } of task.targets)
      if (error) throw new CliError("FAILED", `${model}: ${error.message} (error ${error.code})`);
    const files = task.targets.flatMap(({ output }) => output);
    const voices = job.targets.find(({ kind }) => kind === "voices");
    const outputs = planOutputPaths(job, voices ? countVoices(voices, files) : 0);
    for (const { name, format, path } of outputs) {
      const file = files.find((one) => one.name === name && one.format === format);
      if (!file) throw new CliError("FAILED", `The service returned no ${name}.${format}.`);
      await mkdir(dirname(path), { recursive: true });
      await this.#client.tasks.save(task, file, path, { signal });
    }
    return outputs;
  }

  async close(): Promise<void> {}
}

async function note(path: string, taskId: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, taskId);
}
