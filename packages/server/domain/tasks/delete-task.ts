import type { Blobs, StemCachePort, TaskStore } from "../ports.ts";
import { removeDeleted } from "../storage/remove-deleted.ts";
import { discardFiles, type UnclaimedFiles } from "../storage/unclaimed-files.ts";
import { toOutputFolder } from "./output-names.ts";

type DeletePorts = { tasks: TaskStore; blobs: Blobs; unclaimed: UnclaimedFiles; stemCache: StemCachePort };

/** Deletes a Task with its files and cached stems; running work stops. False if the client has no such Task. */
export async function deleteTask(ports: DeletePorts, clientId: string, id: string): Promise<boolean> {
  if (!(await ports.tasks.deleteTask(clientId, id))) return false;
  await removeDeleted([discardFiles(ports, toOutputFolder(id)), ports.stemCache.forget(id)]);
  return true;
}
