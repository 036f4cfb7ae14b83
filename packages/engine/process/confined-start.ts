import { extname, join } from "node:path";
import { type Confinement, confineEngine } from "../sandbox/confine-engine.ts";
import { findOwnVariable } from "./engine-environment.ts";

/** Set by the parent, for this program alone. */
export type ConfinedStart = {
  confinement: Confinement;
  environment: Record<string, string>;
  flags: string[];
};

/**
 * Entry point of the engine's process: confines itself and then becomes the engine. A thread can drop what all threads of a program have only before
 * there are others, and Node has some from its first line on.
 */
const CHILD_PATH = join(import.meta.dirname, `engine-child${extname(import.meta.filename)}`);
/** Of the channel to the parent, which has sent nothing yet: it waits until the engine says that it has started. */
const CHANNEL_FD = 3;

const { confinement, environment, flags } = JSON.parse(
  findOwnVariable("STEMWRIGHT_START") ?? "",
) as ConfinedStart;
// Before anything is dropped: koffi is loaded from a folder that may then be closed.
const { keepOpen } = await import("../sandbox/kernel.ts");
await import("../sandbox/landlock-folders.ts");
const report = await confineEngine(confinement);
keepOpen(CHANNEL_FD);
process.execve?.(process.execPath, [process.execPath, ...flags, CHILD_PATH], {
  ...environment,
  NODE_CHANNEL_FD: String(CHANNEL_FD),
  NODE_CHANNEL_SERIALIZATION_MODE: "json",
  STEMWRIGHT_CONFINEMENT: JSON.stringify(report),
});
