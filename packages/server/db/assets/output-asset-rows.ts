import { toFileName } from "@stemwright/contract";
import type { AssetRecord, MediaFacts } from "../../domain/assets/asset-record.ts";
import { findOutputPlace, toOutputAssetId } from "../../domain/assets/output-asset-id.ts";
import type { DatabaseHandle } from "../database.ts";

const selectOutputs = (db: DatabaseHandle) =>
  db
    .selectFrom("outputs")
    .innerJoin("targets", "targets.id", "outputs.target_id")
    .innerJoin("tasks", "tasks.id", "targets.task_id")
    .selectAll("outputs")
    .select(["tasks.client_id", "tasks.created_at", "targets.finished_at"])
    .where("targets.status", "=", "completed");

/** An output by the id it has as an asset: one Task's output can be another's input. */
export async function findOutputAsset(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<AssetRecord | undefined> {
  const place = findOutputPlace(id);
  if (!place) return undefined;
  const row = await selectOutputs(db)
    .where("outputs.target_id", "=", place.targetId)
    .where("outputs.position", "=", place.position)
    .where("tasks.client_id", "=", clientId)
    .executeTakeFirst();
  return (
    row && {
      id: toOutputAssetId(row.target_id, row.position),
      clientId: row.client_id,
      name: toFileName(row.name, row.format),
      format: row.format,
      sizeBytes: row.size_bytes,
      blobKey: row.blob_key,
      createdAt: row.finished_at ?? row.created_at,
      ...(row.media === null ? {} : { media: row.media }),
    }
  );
}

export async function setOutputMediaFacts(db: DatabaseHandle, id: string, media: MediaFacts): Promise<void> {
  const place = findOutputPlace(id);
  if (!place) return;
  await db
    .updateTable("outputs")
    .set({ media })
    .where("target_id", "=", place.targetId)
    .where("position", "=", place.position)
    .execute();
}
