import { TARGET_ERRORS } from "@stemwright/contract";
import type { FastifyBaseLogger } from "fastify";
import type { TaskReports } from "./task-reports.ts";

/** Stems that are kept for later Tasks. */
export interface KeptStems {
  /** Removes all of them; gives how many there were. */
  giveUp(): Promise<number>;
}

type SparePorts = { reports: TaskReports; keptStems: KeptStems; log: FastifyBaseLogger };

/**
 * The same ports, over reports that let no target end for a full disk if stems were given up for it: such targets stay as
 * they are, for another try in the room that was made.
 */
export function spareTargets<Ports extends SparePorts>(
  ports: Ports,
): { ports: Ports; hasMadeRoom(): boolean } {
  let hasMadeRoom = false;
  const makeRoom = async (taskId: string) => {
    // Where they can't be removed, the disk is as full as it was.
    const stems = await ports.keptStems.giveUp().catch(() => 0);
    if (stems > 0) ports.log.warn({ taskId, stems }, "the disk is full: stems that were kept make room");
    return stems > 0;
  };
  const endTarget: TaskReports["endTarget"] = async (taskId, targetId, end) => {
    const isForFullDisk = end.status === "error" && end.error.code === TARGET_ERRORS.DISK_FULL.code;
    if (isForFullDisk) hasMadeRoom ||= await makeRoom(taskId);
    return isForFullDisk && hasMadeRoom ? false : await ports.reports.endTarget(taskId, targetId, end);
  };
  return { ports: { ...ports, reports: { ...ports.reports, endTarget } }, hasMadeRoom: () => hasMadeRoom };
}
