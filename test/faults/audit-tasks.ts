import type pg from "pg";
import { type Finding, toFindings } from "./finding.ts";
import type { Recipe } from "./recipes.ts";
import { hashOutputs } from "./reference-outputs.ts";
import type { TaskStream, WantedTask } from "./task-stream.ts";

const CANCELLED = 4001;

/** What went wrong with a wanted Task. */
function findLoss({ task, fate, isDeleted, recipe, mark }: WantedTask): string | undefined {
  const name = `${recipe.name} ${task?.id ?? mark} (${fate})`;
  if (!task) return `${name} could not be created`;
  if (isDeleted) return undefined;
  if (fate === "delete") return `${name} could not be deleted`;
  const unfinished = task.targets.filter(({ status }) => status === "processing");
  if (unfinished.length > 0 || task.completedAt === null)
    return `${name} is unfinished: ${unfinished.map(({ model }) => model).join(", ")}`;
  const failed = task.targets.filter(
    ({ error }) => error && !(fate === "cancel" && error.code === CANCELLED),
  );
  return failed.length > 0
    ? `${name} failed: ${failed.map(({ model, error }) => `${model} ${error?.code} ${error?.message}`).join("; ")}`
    : undefined;
}

/** Every wanted Task must exist once and be finished; deleted ones must be gone. */
export async function auditTasks(db: pg.Client, { tasks }: TaskStream): Promise<Finding[]> {
  const losses = tasks.flatMap((wanted) => findLoss(wanted) ?? []);
  const { rows } = await db.query<{ id: string; metadata: string | null; completed: boolean }>(
    "select id, metadata, completed_at is not null as completed from tasks",
  );
  const present = new Map(rows.map((row) => [row.id, row]));
  const missing = tasks.filter(({ task, isDeleted }) => task && !isDeleted && !present.has(task.id));
  const undead = tasks.filter(({ task, isDeleted }) => task && isDeleted && present.has(task.id));
  const known = new Set(tasks.map(({ task }) => task?.id));
  const marks = new Map(tasks.map((wanted) => [JSON.stringify(wanted.mark), wanted]));
  const doubles = rows.filter(
    ({ id, metadata }) => metadata !== null && marks.has(metadata) && !known.has(id),
  );
  return [
    ...toFindings("tasksLost", losses),
    ...toFindings(
      "tasksLost",
      missing.map(({ task }) => `${task?.id} has no row`),
    ),
    ...toFindings(
      "tasksLost",
      undead.map(({ task }) => `${task?.id} was deleted and is there`),
    ),
    ...toFindings(
      "tasksTwice",
      doubles.map(({ id, metadata }) => `${id} is a second one of ${metadata}`),
    ),
  ];
}

/** Downloads every upload and compares it with what was sent. */
export async function auditAssets({ assets }: TaskStream): Promise<Finding[]> {
  const wrong: string[] = [];
  for (const { id, link, content } of assets.filter(({ isDeleted }) => !isDeleted)) {
    const response = await fetch(link);
    const stored = Buffer.from(await response.arrayBuffer());
    if (!response.ok || !stored.equals(content))
      wrong.push(`${id}: ${response.status}, ${stored.length} bytes`);
  }
  return toFindings("assetsWrong", wrong);
}

/** Downloads every output and compares it with the reference run's. */
export async function auditOutputs(
  { tasks }: TaskStream,
  reference: ReadonlyMap<Recipe, ReadonlyMap<string, string>>,
): Promise<Finding[]> {
  const wrong: string[] = [];
  for (const { task, recipe, isDeleted } of tasks) {
    if (!task || isDeleted) continue;
    const completed = { ...task, targets: task.targets.filter(({ status }) => status === "completed") };
    for (const [file, hash] of await hashOutputs(completed))
      if (hash !== reference.get(recipe)?.get(file)) wrong.push(`${task.id} ${file}: ${hash}`);
  }
  return toFindings("outputsWrong", wrong);
}
