import { closeSync, openSync, statSync } from "node:fs";
import { findLandlockVersion, restrictByLandlock } from "./kernel.ts";

/** Files and folders that a process may use, each with everything below it. Missing ones are left out. */
export type AllowedFolders = {
  read: readonly string[];
  write: readonly string[];
  /** Devices, and folders of them. */
  devices: readonly string[];
};

/** linux/landlock.h; the comment says which version of Landlock knows them. */
const RIGHTS = {
  execute: 2 ** 0,
  writeFile: 2 ** 1,
  readFile: 2 ** 2,
  readFolder: 2 ** 3,
  removeFolder: 2 ** 4,
  removeFile: 2 ** 5,
  makeCharacterDevice: 2 ** 6,
  makeFolder: 2 ** 7,
  makeFile: 2 ** 8,
  makeSocket: 2 ** 9,
  makeFifo: 2 ** 10,
  makeBlockDevice: 2 ** 11,
  makeLink: 2 ** 12,
  /** 2: moving between folders, which otherwise nobody may. */
  refer: 2 ** 13,
  /** 3 */
  truncate: 2 ** 14,
  /** 5 */
  controlDevice: 2 ** 15,
} as const;
const { execute, writeFile, readFile, readFolder, truncate, controlDevice, refer } = RIGHTS;
const { makeFolder, makeFile, removeFolder, removeFile } = RIGHTS;

const READ = execute | readFile | readFolder;
/** No symbolic links: this process's parent reads what it leaves there. */
const WRITE = READ | writeFile | truncate | refer | makeFolder | makeFile | removeFolder | removeFile;
const DEVICE = readFile | writeFile | readFolder | controlDevice | truncate;
/** An empty root is made in a folder there, which is removed at once. */
const PASSING = makeFolder | removeFolder;
/** The others are for folders only. */
const OF_FILES = execute | writeFile | readFile | truncate | controlDevice;

const BIND_AND_CONNECT_TCP = 0b11;
const ABSTRACT_SOCKETS_AND_SIGNALS = 0b11;

/** From linux/fcntl.h; the same on both architectures. */
const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;

/**
 * Leaves this thread and the program it executes nothing but these folders, by their inodes: a folder that is moved into an allowed one is allowed
 * from then on, one that is moved away no longer. Also TCP and signals to other processes, as far as this kernel can refuse them.
 */
export function allowOnlyFolders({ read, write, devices }: AllowedFolders): void {
  const version = findLandlockVersion();
  const handledFiles = listKnown(version);
  const fds: number[] = [];
  const open = (paths: readonly string[], rights: number) =>
    paths.flatMap((path) => {
      const fd = openPath(path);
      if (fd === undefined) return [];
      fds.push(fd);
      const fitting = statSync(path).isDirectory() ? rights : rights & OF_FILES;
      return [{ fd, rights: fitting & handledFiles }];
    });
  try {
    const allowed = [
      ...open(read, READ),
      ...open(write, WRITE),
      ...open(devices, DEVICE),
      ...open(["/tmp"], PASSING),
    ];
    restrictByLandlock({
      handledFiles,
      handledNetwork: version >= 4 ? BIND_AND_CONNECT_TCP : 0,
      scoped: version >= 6 ? ABSTRACT_SOCKETS_AND_SIGNALS : 0,
      allowed,
    });
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}

function listKnown(version: number): number {
  const since: Partial<Record<keyof typeof RIGHTS, number>> = { refer: 2, truncate: 3, controlDevice: 5 };
  return Object.entries(RIGHTS).reduce(
    (all, [name, bit]) => (version >= (since[name as keyof typeof RIGHTS] ?? 1) ? all | bit : all),
    0,
  );
}

function openPath(path: string): number | undefined {
  try {
    return openSync(path, O_PATH | O_CLOEXEC);
  } catch {
    return undefined;
  }
}
