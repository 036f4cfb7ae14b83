import type { PageQuery } from "@stemwright/contract";
import { type Selectable, sql } from "kysely";
import type { Listed } from "../../domain/ports.ts";
import { Refusal } from "../../domain/refusal.ts";
import { makeQuotaError } from "../../domain/storage/storage-quota.ts";
import {
  type NewUpload,
  type UploadPlace,
  type UploadRecord,
  type UploadRules,
  type UploadUpdate,
  WRITER_LEASE_MS,
} from "../../domain/uploads/upload-record.ts";
import type { DatabaseHandle, Tables } from "../database.ts";
import { listPage } from "../list-page.ts";
import { findShortage } from "../storage/make-storage-quota.ts";

/** Rows of one client, however small its uploads are. */
const MAX_UNFINISHED = 100;
const LEASE = sql`interval '1 millisecond' * ${WRITER_LEASE_MS}`;
const IS_FREE = sql<boolean>`(writer is null or writer_until < now())`;
/** Bytes arrived within the last renewals. */
const IS_RECEIVING = sql<boolean>`(not ${IS_FREE} and coalesce(received_at > now() - interval '5 seconds', false))`;
const toExpiry = ({ expiryHours }: UploadRules) => sql<Date>`now() + interval '1 hour' * ${expiryHours}`;

type UploadRow = Selectable<Tables["uploads"]> & { is_receiving: boolean };

const toUploadRecord = (row: UploadRow): UploadRecord => ({
  id: row.id,
  clientId: row.client_id,
  name: row.name,
  contentType: row.content_type ?? undefined,
  format: row.format ?? undefined,
  fingerprint: row.fingerprint ?? undefined,
  metadata: row.metadata ?? undefined,
  sizeBytes: row.size_bytes,
  storedBytes: row.stored_bytes,
  multipartId: row.multipart_id ?? undefined,
  partBytes: row.part_bytes,
  isDirect: row.is_direct,
  isReceiving: row.is_receiving,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

const selectUploads = (db: DatabaseHandle) =>
  db.selectFrom("uploads").selectAll().select(IS_RECEIVING.as("is_receiving"));

async function checkUnfinished(
  db: DatabaseHandle,
  { clientId, sizeBytes }: NewUpload,
  { unfinishedMaxBytes }: UploadRules,
): Promise<void> {
  const { count, bytes } = await db
    .selectFrom("uploads")
    .select((eb) => [
      eb.fn.countAll<number>().as("count"),
      eb.fn.sum<number | null>("size_bytes").as("bytes"),
    ])
    .where("client_id", "=", clientId)
    .executeTakeFirstOrThrow();
  if (count < MAX_UNFINISHED && (count === 0 || (bytes ?? 0) + sizeBytes <= unfinishedMaxBytes)) return;
  throw new Refusal(
    "UPLOADS_TOO_MANY",
    `The account has ${count} unfinished uploads of ${bytes} bytes, and may have ${MAX_UNFINISHED} of ${unfinishedMaxBytes} bytes; finish or delete some`,
  );
}

/** In a transaction: the lock of the client's row makes concurrent uploads see each other. */
export async function insertUpload(db: DatabaseHandle, upload: NewUpload, rules: UploadRules): Promise<void> {
  const { id, clientId, sizeBytes } = upload;
  const { defaultQuotaBytes } = rules;
  const shortage = await findShortage(db, { id, clientId }, { sizeBytes, defaultQuotaBytes });
  if (shortage && shortage !== "no-quota") throw makeQuotaError(shortage);
  await checkUnfinished(db, upload, rules);
  await db
    .insertInto("uploads")
    .values({
      id,
      client_id: clientId,
      name: upload.name,
      content_type: upload.contentType ?? null,
      format: upload.format ?? null,
      fingerprint: upload.fingerprint ?? null,
      metadata: upload.metadata ?? null,
      size_bytes: sizeBytes,
      multipart_id: upload.multipartId ?? null,
      part_bytes: upload.partBytes,
      is_direct: upload.isDirect,
      expires_at: toExpiry(rules),
    })
    .execute();
}

export async function findUpload(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<UploadRecord | undefined> {
  const row = await selectUploads(db)
    .where("id", "=", id)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return row && toUploadRecord(row);
}

export async function listUploads(
  db: DatabaseHandle,
  clientId: string,
  page: PageQuery,
): Promise<Listed<UploadRecord>> {
  const { total } = await db
    .selectFrom("uploads")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("client_id", "=", clientId)
    .executeTakeFirstOrThrow();
  return await listPage(total, page, async () => {
    const rows = await selectUploads(db)
      .where("client_id", "=", clientId)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .offset(page.skip)
      .limit(page.take)
      .execute();
    return rows.map(toUploadRecord);
  });
}

export async function takeUpload(
  db: DatabaseHandle,
  { clientId, id }: UploadPlace,
  { token, turn }: { token: string; turn: "first-call" | "again" },
): Promise<UploadRecord | "busy" | "taken-over" | undefined> {
  const { rows } = await sql<UploadRow>`
    update uploads set
      writer = case when ${IS_FREE} then ${token} else writer end,
      writer_until = case when ${IS_FREE} then now() + ${LEASE} else writer_until end,
      received_at = case when ${IS_FREE} then now() else received_at end,
      next_writer = case when ${IS_FREE} then null else ${token} end
    where id = ${id} and client_id = ${clientId} and (${turn === "first-call"}::boolean or next_writer = ${token})
    returning *, ${IS_RECEIVING} as is_receiving`.execute(db);
  const [row] = rows;
  if (row) return row.writer === token ? toUploadRecord(row) : "busy";
  return (await findUpload(db, clientId, id)) && "taken-over";
}

/** Whatever brings new bytes also moves the time of expiry. */
export async function noteParts(
  db: DatabaseHandle,
  { id, storedBytes }: { id: string; storedBytes: number },
  rules: UploadRules,
): Promise<void> {
  await db
    .updateTable("uploads")
    .set({ stored_bytes: storedBytes, expires_at: toExpiry(rules) })
    .where("id", "=", id)
    .where("stored_bytes", "<", storedBytes)
    .execute();
}

/** Stored bytes only grow: of two renewals, the later may arrive first. */
export async function keepUpload(
  db: DatabaseHandle,
  { id, token, progress }: { id: string; token: string; progress: UploadUpdate },
  rules: UploadRules,
): Promise<"kept" | "wanted" | "lost"> {
  const { storedBytes = 0, format = null, multipartId = null, hasReceived = false } = progress;
  const { rows } = await sql<Pick<UploadRow, "next_writer">>`
    update uploads set
      writer_until = now() + ${LEASE},
      expires_at = case when ${storedBytes}::bigint > stored_bytes then ${toExpiry(rules)} else expires_at end,
      stored_bytes = greatest(stored_bytes, ${storedBytes}::bigint),
      received_at = case when ${hasReceived}::boolean then now() else received_at end,
      format = coalesce(${format}, format),
      multipart_id = coalesce(${multipartId}, multipart_id)
    where id = ${id} and writer = ${token}
    returning next_writer`.execute(db);
  const [row] = rows;
  if (!row) return "lost";
  return row.next_writer === null ? "kept" : "wanted";
}

export async function releaseUpload(db: DatabaseHandle, id: string, token: string): Promise<void> {
  await db
    .updateTable("uploads")
    .set({ writer: null, writer_until: null })
    .where("id", "=", id)
    .where("writer", "=", token)
    .execute();
}

/** False if the token is no longer its writer. */
export async function deleteUpload(db: DatabaseHandle, id: string, token: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("uploads")
    .where("id", "=", id)
    .where("writer", "=", token)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function listExpiredUploads(db: DatabaseHandle, limit: number): Promise<UploadPlace[]> {
  const rows = await db
    .selectFrom("uploads")
    .select(["id", "client_id"])
    .where("expires_at", "<", sql<Date>`now()`)
    .where(IS_FREE)
    .orderBy("expires_at")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ id: row.id, clientId: row.client_id }));
}
