import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { sweepCells } from "@stemwright/engine";
import type { Database } from "../../db/database.ts";
import { isId } from "../../domain/ids.ts";
import { sweepHelperDirs } from "./open-helper-dir.ts";
import { isOwnerElsewhere } from "./open-work-dir.ts";
import { sweepWorkDirs } from "./sweep-work-dirs.ts";

const isUnfinished = async () => false;

/**
 * Removes the work folders of Tasks that no worker has now, and of dead helpers; returns how many. What they hold only saves time, but on a full disk no Task
 * could go on because of them.
 */
export async function freeLeftWork(options: { db: Database; workDir: string }): Promise<number> {
  const { db, workDir } = options;
  const helperDirs = await sweepHelperDirs({ workDir, isUnfinished });
  const workDirs = await sweepWorkDirs({ db, workDir, isUnfinished });
  return helperDirs + workDirs + sweepCells(workDir);
}

/**
 * The same while the database is out of reach, perhaps because its disk is full of them: then nobody can claim a Task, so what this process and dead ones
 * left is free.
 */
export async function freeLeftWorkUnasked(
  workDir: string,
  exceptTaskId: string | undefined,
): Promise<number> {
  let removed = await sweepHelperDirs({ workDir, isUnfinished });
  const names = await readdir(workDir).catch(() => []);
  for (const name of names.filter((name) => isId(name) && name !== exceptTaskId)) {
    if (await isOwnerElsewhere(join(workDir, name))) continue;
    await rm(join(workDir, name), { recursive: true, force: true });
    removed += 1;
  }
  return removed + sweepCells(workDir);
}
