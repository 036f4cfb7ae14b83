import { constants } from "node:os";
import type { AllowedFolders } from "./landlock-folders.ts";
import { makeEngineFilter } from "./system-call-filter.ts";

/** What confines an engine child: the layers in force, and those that are unavailable here with the reason. */
export type ConfinementReport = { layers: string[]; missing: string[] };

export type Confinement = {
  folders: AllowedFolders;
  /** The command that made its namespaces; none if it has none. */
  namespaces?: string | undefined;
  /** Root may open files of others in these folders. */
  opensFilesOfOthers: boolean;
};

const RLIMIT_CORE = 4;

/**
 * Drops what an engine child has no use for, for this thread and the program that it executes next; only that program has all of it in every thread.
 * Everything else of the machine is out of its reach: a model file may exploit the runtime that reads it.
 */
export async function confineEngine({
  folders,
  namespaces,
  opensFilesOfOthers,
}: Confinement): Promise<ConfinementReport> {
  const report: ConfinementReport = { layers: [], missing: [] };
  const enter = async (name: string, layer: () => void | Promise<void>) => {
    try {
      await layer();
      report.layers.push(name);
    } catch (error) {
      report.missing.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const kernel = () => import("./kernel.ts");
  await enter("namespaces", () => {
    if (namespaces === undefined) throw new Error("neither unshare nor bwrap may be used here");
  });
  await enter("no core dumps", async () => (await kernel()).setLimit(RLIMIT_CORE, 0, 0));
  await enter("ends with its parent", async () => (await kernel()).endWithParent(constants.signals.SIGKILL));
  await enter("no capabilities", async () => {
    const { CAP_DAC_OVERRIDE, keepOnlyCapability } = await kernel();
    keepOnlyCapability(opensFilesOfOthers ? CAP_DAC_OVERRIDE : undefined);
  });
  await enter("no new privileges", async () => (await kernel()).renounceNewPrivileges());
  await enter("folders", async () => (await import("./landlock-folders.ts")).allowOnlyFolders(folders));
  await enter("system call filter", async () => {
    const { filterSystemCalls, PROCESSOR } = await kernel();
    filterSystemCalls(makeEngineFilter(PROCESSOR), { isForAllThreads: false });
  });
  return report;
}
