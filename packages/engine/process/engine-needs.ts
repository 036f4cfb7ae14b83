import { statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import type { EngineTarget } from "../targets/engine-request.ts";
import type { EngineCommand } from "./engine-message.ts";

/** Files that a request reads, and folders that it writes in. */
export type EngineNeeds = { read: readonly string[]; write: readonly string[] };

export function listNeeds({ kind, request }: EngineCommand["work"]): EngineNeeds {
  const targets = kind === "targets" ? request.targets : [];
  return {
    read: [request.inputPath, ...targets.flatMap(listRead)].map((path) => resolve(path)),
    write: [request.workDir, ...targets.flatMap(listWritten).map(dirname)].map((path) => resolve(path)),
  };
}

const listRead = (target: EngineTarget): string[] =>
  target.kind === "text" && target.transcriptPath !== undefined ? [target.transcriptPath] : [];

const listWritten = (target: EngineTarget): string[] =>
  target.kind === "voices" ? [target.pathPrefix] : target.files.map(({ path }) => path);

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../"));
}

/** What a process may use, by inode as the kernel sees it: a folder that was replaced since is another one. */
export class Grants {
  readonly #granted: readonly { path: string; inode: string; isWritable: boolean }[];

  constructor({ read, write }: EngineNeeds) {
    const note = (isWritable: boolean) => (path: string) => {
      const inode = findInode(path);
      return inode === undefined ? [] : [{ path, inode, isWritable }];
    };
    this.#granted = [...read.flatMap(note(false)), ...write.flatMap(note(true))];
  }

  cover({ read, write }: EngineNeeds): boolean {
    return read.every((path) => this.#covers(path, false)) && write.every((path) => this.#covers(path, true));
  }

  #covers(path: string, isWritten: boolean): boolean {
    return this.#granted.some(
      (granted) =>
        (granted.isWritable || !isWritten) &&
        isInside(granted.path, path) &&
        findInode(granted.path) === granted.inode,
    );
  }
}

function findInode(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
