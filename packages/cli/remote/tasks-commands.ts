import type { Task, TaskListItem } from "@stemwright/sdk";
import { CliError } from "../cli-error.ts";
import { openClient } from "./open-client.ts";

type Remote = { server?: string | true; json: boolean };

const print = (line: string) => process.stdout.write(`${line}\n`);

function describeTask({ id, createdAt, targets }: TaskListItem): string {
  const states = targets.map(({ model, status, progress }) =>
    status === "processing" ? `${model} ${Math.round((progress ?? 0) * 100)} %` : `${model} ${status}`,
  );
  return `${id}  ${createdAt}  ${states.join(", ")}`;
}

export async function listTasks({ server, json, number }: Remote & { number: string }): Promise<void> {
  const wanted = Number(number);
  if (!Number.isInteger(wanted) || wanted < 1)
    throw new CliError("USAGE", `--number ${number}: it must be a whole number above 0.`);
  let count = 0;
  for await (const task of openClient(server).tasks.list()) {
    print(json ? JSON.stringify(task) : describeTask(task));
    count += 1;
    if (count === wanted) return;
  }
}

export async function showTask(id: string, { server }: Remote): Promise<void> {
  print(JSON.stringify(await openClient(server).tasks.get(id), null, 2));
}

export async function cancelTask(id: string, { server, json }: Remote): Promise<void> {
  const task = (await openClient(server).tasks.cancel(id)) as Task;
  print(json ? JSON.stringify(task) : describeTask(task));
}

export async function downloadTask(
  id: string,
  { server, json, folder }: Remote & { folder: string },
): Promise<void> {
  const client = openClient(server);
  const paths = await client.tasks.saveAll(await client.tasks.get(id), folder);
  for (const path of paths) print(json ? JSON.stringify({ path }) : path);
}
