import type { PageQuery } from "@stemwright/contract";
import type { AssetRecord } from "../assets/asset-record.ts";
import { makeUnknownError } from "../get-found.ts";
import type { Listed } from "../ports.ts";

/** A file that arrives in several requests. It has the id of the asset it becomes. */
export type UploadRecord = {
  id: string;
  clientId: string;
  name: string;
  contentType?: string | undefined;
  /** Undefined until name, content type or first bytes tell it. */
  format?: string | undefined;
  fingerprint?: string | undefined;
  /** `Upload-Metadata` as it was sent. */
  metadata?: string | undefined;
  sizeBytes: number;
  storedBytes: number;
  /** The multipart upload in a bucket, and the size of its parts. */
  multipartId?: string | undefined;
  partBytes: number;
  /** The client sends the parts to the bucket itself. */
  isDirect: boolean;
  /** A request is writing, and bytes arrived within the last seconds. */
  isReceiving: boolean;
  createdAt: Date;
  expiresAt: Date;
};

export type NewUpload = Omit<UploadRecord, "storedBytes" | "isReceiving" | "createdAt" | "expiresAt">;
export type UploadPlace = { clientId: string; id: string };
export type UploadUpdate = Partial<Pick<UploadRecord, "storedBytes" | "format" | "multipartId">> & {
  /** Bytes arrived since the last renewal, whether or not they are stored. */
  hasReceived?: boolean;
};

export type UploadRules = {
  /** After so long without new bytes an unfinished upload is removed. */
  expiryHours: number;
  /** Announced bytes of one client's unfinished uploads; one upload is always admitted. */
  unfinishedMaxBytes: number;
  /** For clients without an individual quota; 0 = none. */
  defaultQuotaBytes: number;
};

/** How long a writer keeps an upload without renewing it: whoever died holds nobody up for longer. */
export const WRITER_LEASE_MS = 10_000;

export interface UploadStore {
  /** Refuses what exceeds the client's quota or its limit of unfinished uploads. */
  insertUpload(upload: NewUpload): Promise<void>;
  findUpload(clientId: string, id: string): Promise<UploadRecord | undefined>;
  listUploads(clientId: string, page: PageQuery): Promise<Listed<UploadRecord>>;
  /**
   * Makes the token the upload's only writer if there is none; else it becomes the next, and the current one learns it from its next renewal. The
   * newest to ask is the next.
   */
  takeUpload(
    place: UploadPlace,
    token: string,
    turn: "first-call" | "again",
  ): Promise<UploadRecord | "busy" | "taken-over" | undefined>;
  /** Renews the writer's lease and records progress. "wanted" = another request waits, "lost" = it is no longer the writer. */
  keepUpload(id: string, token: string, progress?: UploadUpdate): Promise<"kept" | "wanted" | "lost">;
  releaseUpload(id: string, token: string): Promise<void>;
  /** Records how much of a direct upload is in the bucket. */
  noteParts(id: string, storedBytes: number): Promise<void>;
  /** In one transaction the upload goes and the asset comes. */
  finishUpload(token: string, asset: AssetRecord): Promise<void>;
  deleteUpload(id: string, token: string): Promise<void>;
}

export const unknownUpload = makeUnknownError("upload");
