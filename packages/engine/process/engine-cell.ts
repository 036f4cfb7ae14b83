import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { hostname } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { findStartTicks } from "./claim-work-dir.ts";
import { isInside } from "./engine-needs.ts";

/** The folder of cells in a folder of work. The dot tells it from the folders of Tasks, which sweeps remove. */
export const CELLS_FOLDER = ".engines";

const toOwner = (pid: number) => `${hostname()}.${pid}.${findStartTicks(pid) ?? ""}`;
let count = 0;

/**
 * The one folder that an engine process may use. What a request works on is moved into it for as long as the request runs, with a link in its place, so
 * that its paths stay valid. A folder can't be allowed to a process that runs already, and loading the networks again takes seconds.
 */
export class EngineCell {
  readonly path: string;
  readonly #workRoot: string;

  constructor(workRoot: string) {
    this.#workRoot = resolve(workRoot);
    sweepCells(this.#workRoot);
    this.path = join(this.#workRoot, CELLS_FOLDER, `${toOwner(process.pid)}.${++count}`);
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
  }

  /** Moves the folder with these paths into the cell; the result moves it back. */
  enter(paths: readonly string[]): Disposable {
    const [name] = relative(this.#workRoot, paths[0] ?? "").split(sep);
    const place = join(this.#workRoot, name ?? "");
    if (!name || name === ".." || !paths.every((path) => isInside(place, path)))
      throw new Error(
        `the paths of a request are not in one folder of ${this.#workRoot}: ${paths.join(", ")}`,
      );
    const home = join(this.path, name);
    // What a killed process left in its own cell, or was about to.
    const from = lstatSync(place).isSymbolicLink() ? realpathSync(place) : place;
    if (from !== realpathOrSame(home)) {
      rmSync(home, { recursive: true, force: true });
      renameSync(from, home);
    }
    placeLink(place, home);
    return { [Symbol.dispose]: () => leave(place, home) };
  }
}

function realpathOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function placeLink(place: string, home: string): void {
  const draft = `${home}.link`;
  rmSync(draft, { force: true });
  symlinkSync(relative(join(place, ".."), home), draft);
  renameSync(draft, place);
}

function leave(place: string, home: string): void {
  if (pointsTo(place, home)) {
    unlinkSync(place);
    renameSync(home, place);
  } else {
    // Nobody wants it any more.
    rmSync(home, { recursive: true, force: true });
  }
}

function pointsTo(place: string, home: string): boolean {
  try {
    return resolve(place, "..", readlinkSync(place)) === home;
  } catch {
    return false;
  }
}

/** Removes cells of dead processes of this machine, except what is still linked: the next run of that work takes it. Returns how many it removed. */
export function sweepCells(workRoot: string): number {
  const folder = join(resolve(workRoot), CELLS_FOLDER);
  let removed = 0;
  for (const name of listNames(folder).filter(isLeft)) {
    const cell = join(folder, name);
    for (const entry of listNames(cell)) {
      if (pointsTo(join(workRoot, entry), join(cell, entry))) continue;
      rmSync(join(cell, entry), { recursive: true, force: true });
      removed += 1;
    }
    try {
      rmdirSync(cell);
    } catch {
      // It still holds work, or another process has removed it.
    }
  }
  return removed;
}

function isLeft(name: string): boolean {
  const [, host, pid] = /^(.*)\.(\d+)\.\d*\.\d+$/.exec(name) ?? [];
  return host === hostname() && !name.startsWith(`${toOwner(Number(pid))}.`);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
