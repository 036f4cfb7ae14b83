import { TARGET_ERRORS } from "@stemwright/contract";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { KeptStems } from "../../media/kept-stems.ts";

type SparePorts = { reports: TaskReports; keptStems: KeptStems };

/**
 * The same ports, over reports that let no target end for a full disk if stems were given up for it: such targets stay as
 * they are, for another try in the room that was made.
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
