import { createHash } from "node:crypto";
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { CacheUser } from "../targets/engine-request.ts";

/** A stem of a pass: everything its samples depend on, and its path in the work folder. */
export type CachedStem = { madeFrom: Record<string, string | number>; stem: string; path: string };
export type WantedStem = CachedStem & { sizeBytes: number };

/** Where passes find finished stems and leave theirs, for the user of their request. */
export interface StemLender {
  /** Whether the stem is now at its path. */
  lend(wanted: WantedStem): boolean | Promise<boolean>;
  keep(finished: CachedStem): void;
}

export function stemCacheFolder(cacheDir: string): string {
  return join(cacheDir, "stems");
}

/**
 * Finished stems, kept for the next request with the same content, network and settings. An entry is a folder named
 * after everything the samples depend on; a stem is a hard link to the spool of the request that made it, so it is never
 * half written and costs no time. Several processes may use the folder at once, and may be killed at any time.
 */
export class StemCache {
  readonly #folder: string;
  readonly #limitBytes: number;

  constructor(folder: string, limitBytes: number) {
    this.#folder = folder;
    this.#limitBytes = limitBytes;
  }

  /** Links the stem to its path if the cache has all of it. */
  lend(wanted: WantedStem, user: CacheUser): boolean {
    const entry = this.#entryOf(wanted, user);
    const source = join(entry, wanted.stem);
    if (findSize(source) !== wanted.sizeBytes) return false;
    // Another process may be evicting it right now.
    return succeeds(() => {
      place(source, wanted.path);
      sign(entry, user);
      const now = new Date();
      utimesSync(source, now, now);
    });
  }

  /** Adds a finished stem, evicting others if needed. */
  keep(finished: CachedStem, user: CacheUser): void {
    if ((findSize(finished.path) ?? 0) > this.#limitBytes) return;
    const entry = this.#entryOf(finished, user);
    // A failed cache write is not an error: the stem itself exists.
    succeeds(() => {
      sign(entry, user);
      place(finished.path, join(entry, finished.stem));
      this.#makeRoom();
    });
  }

  /** For the requests of one user. */
  openFor(user: CacheUser): StemLender {
    return {
      lend: (wanted) => this.lend(wanted, user),
      keep: (finished) => this.keep(finished, user),
    };
  }

  #entryOf({ madeFrom }: CachedStem, { scope }: CacheUser): string {
    const facts = JSON.stringify(Object.entries({ ...madeFrom, scope }).sort());
    return join(this.#folder, createHash("sha256").update(facts).digest("hex"));
  }

  /** Removes the least recently used entries; the cache takes at most half of the disk space that would be free without it. */
  #makeRoom(): void {
    const entries = listEntries(this.#folder).sort((a, b) => a.usedMs - b.usedMs);
    const heldBytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const { bavail, bsize } = statfsSync(this.#folder);
    let excessBytes = heldBytes - Math.min(this.#limitBytes, (bavail * bsize + heldBytes) / 2);
    for (const { path, sizeBytes } of entries) {
      if (excessBytes <= 0) return;
      rmSync(path, { recursive: true, force: true });
      excessBytes -= sizeBytes;
    }
  }
}

type Entry = { path: string; sizeBytes: number; usedMs: number };

function listEntries(folder: string): Entry[] {
  return listNames(folder).map((name) => {
    const path = join(folder, name);
    const files = listNames(path).flatMap(
      (file) => statSync(join(path, file), { throwIfNoEntry: false }) ?? [],
    );
    const stems = files.filter((stats) => stats.isFile());
    return {
      path,
      sizeBytes: stems.reduce((sum, { size }) => sum + size, 0),
      usedMs: Math.max(0, ...stems.map(({ mtimeMs }) => mtimeMs)),
    };
  });
}

/** The folder with a file for each owner of an entry. */
export const ownersOf = (entry: string) => join(entry, "owners");

function sign(entry: string, { owner }: CacheUser): void {
  mkdirSync(ownersOf(entry), { recursive: true, mode: 0o700 });
  writeFileSync(join(ownersOf(entry), owner), "");
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Atomic, also for a process that reads at the same time. */
function place(from: string, to: string): void {
  if (findSize(to) === findSize(from)) return;
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
  } catch (error) {
    // Two file systems, or one without hard links.
    if (!["EXDEV", "EPERM", "EMLINK"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    const draft = `${to}.${process.pid}`;
    copyFileSync(from, draft);
    renameSync(draft, to);
  }
}

function findSize(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function succeeds(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
