import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CELLS_FOLDER, EngineCell, sweepCells } from "./engine-cell.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "stemwright-cells-")));
  mkdirSync(join(root, "task/engine"), { recursive: true });
  writeFileSync(join(root, "task/input"), "sound");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const paths = () => [join(root, "task/engine"), join(root, "task/input")];
const read = () => readFileSync(join(root, "task/input"), "utf8");
/** A cell of a process that has ended, with a Task that it was killed at. */
function leaveDeadCell(): string {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const cell = join(root, CELLS_FOLDER, `${hostname()}.${pid}.1.1`);
  mkdirSync(cell, { recursive: true });
  renameSync(join(root, "task"), join(cell, "task"));
  return cell;
}

it("[S40] the folder of a request is in the cell as long as the request runs, under its own path too", () => {
  const cell = new EngineCell(root);
  {
    using _ = cell.enter(paths());
    expect(realpathSync(join(root, "task"))).toBe(join(cell.path, "task"));
    expect(read()).toBe("sound");
    writeFileSync(join(root, "task/engine/spool"), "half");
  }
  expect(lstatSync(join(root, "task")).isDirectory()).toBe(true);
  expect(readFileSync(join(root, "task/engine/spool"), "utf8")).toBe("half");
  expect(readdirSync(cell.path)).toEqual([]);
});

it("[S40] paths outside one folder are refused", () => {
  const cell = new EngineCell(root);
  for (const path of [join(root, "other/input"), join(root, "..", "input"), root])
    expect(() => cell.enter([...paths(), path])).toThrow("not in one folder");
  expect(() => cell.enter([root])).toThrow("not in one folder");
});

it("[Q2] work of a killed process is taken over from its cell, and survives sweeps until then", () => {
  const dead = leaveDeadCell();
  symlinkSync(join(CELLS_FOLDER, dead.slice(dead.lastIndexOf("/") + 1), "task"), join(root, "task"));
  expect(sweepCells(root)).toBe(0);
  expect(read()).toBe("sound");
  const cell = new EngineCell(root);
  {
    using _ = cell.enter(paths());
    expect(realpathSync(join(root, "task"))).toBe(join(cell.path, "task"));
    expect(read()).toBe("sound");
  }
  expect(lstatSync(join(root, "task")).isDirectory()).toBe(true);
  sweepCells(root);
  expect(existsSync(dead)).toBe(false);
});

it("[R3] what a killed process left that nothing links to is removed, and nothing of live processes or other machines", () => {
  const dead = leaveDeadCell();
  const elsewhere = join(root, CELLS_FOLDER, "another-machine.1.1.1");
  mkdirSync(join(elsewhere, "theirs"), { recursive: true });
  const live = new EngineCell(root);
  expect(existsSync(dead)).toBe(false);
  expect(existsSync(join(elsewhere, "theirs"))).toBe(true);
  expect(existsSync(live.path)).toBe(true);
});

it("[T10] a folder that was removed during the request stays removed", () => {
  const cell = new EngineCell(root);
  {
    using _ = cell.enter(paths());
    rmSync(join(root, "task"), { recursive: true, force: true });
  }
  expect(existsSync(join(root, "task"))).toBe(false);
  expect(readdirSync(cell.path)).toEqual([]);
});
