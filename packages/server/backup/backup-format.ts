import { z } from "zod";

/**
 * A backup is a tar, or a folder with the same files:
 *
 *     files/<key>                     stored files, unchanged
 *     database/<table>/<part>.jsonl   rows, one object per line
 *     encryption.key                  encrypts secrets in the database; base64
 *     backup.json                     what made it and its contents; the last but one
 *     SHA256SUMS                      of all others, for sha256sum -c; the last
 */
export const FILES_PREFIX = "files/";
export const DATABASE_PREFIX = "database/";
export const KEY_NAME = "encryption.key";
export const MANIFEST_NAME = "backup.json";
export const SUMS_NAME = "SHA256SUMS";
export const FORMAT_VERSION = 1;

export const backupManifestSchema = z.object({
  format: z.literal(FORMAT_VERSION),
  version: z.string(),
  createdAt: z.string(),
  /** The schema that the rows belong to. */
  migrations: z.array(z.string()),
  /** Referenced rows first. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number() })),
  sequences: z.record(z.string(), z.string().nullable()),
  /** Keys of the files that the rows refer to; other files of the backup were deleted while it was made. */
  files: z.array(z.string()),
});

export type BackupManifest = z.infer<typeof backupManifestSchema>;
