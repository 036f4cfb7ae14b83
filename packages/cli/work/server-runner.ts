import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NotFoundError, type Stemwright, type TargetInput, type Task } from "@stemwright/sdk";
import { CliError } from "../cli-error.ts";
import type { Job, JobHooks, Runner } from "./job.ts";
import { makeJobKey } from "./job-key.ts";
import { type PlannedOutput, planOutputPaths } from "./plan-output-paths.ts";
import { countVoices, type WantedTarget } from "./wanted-target.ts";

type ServerOptions = { client: Stemwright; cacheDir: string };

export function openServerRunner({ client, cacheDir }: ServerOptions): Runner {
  /** Where the id of a running Task is saved, so that a second run picks it up. */
  const toNotePath = async (job: Job) => join(cacheDir, "tasks", await makeJobKey(job.input, job.targets));

  async function findTask(notePath: string, { signal }: JobHooks): Promise<Task | undefined> {
    const id = await readFile(notePath, "utf8").catch(() => undefined);
    if (id === undefined) return undefined;
    const task = await client.tasks.get(id, { signal }).catch((error) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    return task?.targets.some(({ status }) => status === "error") ? undefined : task;
  }

  async function toTargetInput(target: WantedTarget, { signal }: JobHooks): Promise<TargetInput> {
    const { model, formats, variant, residual, language, transcriptPath } = target;
    const transcript =
      transcriptPath === undefined ? undefined : await client.assets.upload(transcriptPath, { signal });
    return {
      model,
      formats: [...formats],
      ...(variant === undefined ? {} : { variant }),
      ...(residual === undefined ? {} : { residual }),
      ...(language === undefined ? {} : { language }),
      ...(transcript === undefined ? {} : { transcriptAssetId: transcript.id }),
    };
  }

  async function startTask(job: Job, notePath: string, hooks: JobHooks): Promise<Task> {
    const { signal, onProgress } = hooks;
    const targets: TargetInput[] = [];
    for (const target of job.targets) targets.push(await toTargetInput(target, hooks));
    return await client.tasks.run(job.input, targets, {
      signal,
      keepOnAbort: true,
      onCreated: (task) => void note(notePath, task.id),
      onProgress: ({ progress, etaSeconds }) => onProgress({ fraction: progress, secondsLeft: etaSeconds }),
    });
  }

  async function run(job: Job, hooks: JobHooks): Promise<readonly PlannedOutput[]> {
    const { signal, onProgress } = hooks;
    const notePath = await toNotePath(job);
    const known = await findTask(notePath, hooks);
    const task = known
      ? await client.tasks.wait(known, {
          signal,
          onProgress: ({ progress, etaSeconds }) =>
            onProgress({ fraction: progress, secondsLeft: etaSeconds }),
        })
      : await startTask(job, notePath, hooks);
    const outputs = await saveOutputs(task, job, signal);
    await rm(notePath, { force: true });
    return outputs;
  }

  async function saveOutputs(task: Task, job: Job, signal: AbortSignal): Promise<PlannedOutput[]> {
    for (const { model, error } of task.targets)
      if (error) throw new CliError("FAILED", `${model}: ${error.message} (error ${error.code})`);
    const files = task.targets.flatMap(({ output }) => output);
    const voices = job.targets.find(({ kind }) => kind === "voices");
    const outputs = planOutputPaths(job, voices ? countVoices(voices, files) : 0);
    for (const { name, format, path } of outputs) {
      const file = files.find((one) => one.name === name && one.format === format);
      if (!file) throw new CliError("FAILED", `The service returned no ${name}.${format}.`);
      await mkdir(dirname(path), { recursive: true });
      await client.tasks.save(task, file, path, { signal });
    }
    return outputs;
  }

  return { run, close: async () => {} };
}

async function note(path: string, taskId: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, taskId);
}
