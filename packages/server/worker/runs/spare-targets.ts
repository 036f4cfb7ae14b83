import { TARGET_ERRORS } from "@stemwright/contract";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { KeptStems } from "../../media/kept-stems.ts";

type SparePorts = { reports: TaskReports; keptStems: KeptStems };

/**
 * The same ports, except that a target does not end because of a full disk if evicting cached stems has freed space: it stays unfinished and
 * is tried again.
 */
export function spareTargets<Ports extends SparePorts>(
  ports: Ports,
): { ports: Ports; hasMadeRoom(): boolean } {
  let hasMadeRoom = false;
  const endTarget: TaskReports["endTarget"] = async (run, targetId, end) => {
    const isForFullDisk = end.status === "error" && end.error.code === TARGET_ERRORS.DISK_FULL.code;
    if (isForFullDisk) hasMadeRoom ||= (await ports.keptStems.giveUp({ taskId: run.taskId })) > 0;
    return isForFullDisk && hasMadeRoom ? false : await ports.reports.endTarget(run, targetId, end);
  };
  return { ports: { ...ports, reports: { ...ports.reports, endTarget } }, hasMadeRoom: () => hasMadeRoom };
}
