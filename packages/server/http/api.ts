import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Config } from "../config/load-config.ts";
import type { IdentityProvider } from "../domain/accounts/identity.ts";
import type { Passwords } from "../domain/accounts/passwords.ts";
import type { StemFileMaker } from "../domain/exports/stem-file-plan.ts";
import type { Links } from "../domain/links.ts";
import type { Operation } from "../domain/operation/operation.ts";
import type { Blobs, StatisticsStore, StemCachePort } from "../domain/ports.ts";
import type { PreviewStore } from "../domain/previews/preview-record.ts";
import type { ReceiptStore } from "../domain/requests/idempotency.ts";
import type { RateCounts } from "../domain/requests/rate-counts.ts";
import type { OutputLinks } from "../domain/storage/output-links.ts";
import type { StoragePorts } from "../domain/storage/storage-ports.ts";
import type { StorageQuota } from "../domain/storage/storage-quota.ts";
import type { UnclaimedFiles } from "../domain/storage/unclaimed-files.ts";
import type { Stores } from "../domain/stores.ts";
import type { CheckPorts } from "../domain/tasks/create-task.ts";
import type { TaskFeed } from "../domain/tasks/task-feed.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import type { TextWriter } from "../domain/words/words-record.ts";
import type { Readiness } from "../monitoring/readiness.ts";
import type { KeyRing } from "./access/authenticate.ts";
import type { SessionRing } from "./access/session-caller.ts";

export type ApiPorts = CheckPorts &
  StoragePorts &
  Stores & {
    blobs: Blobs;
    unclaimed: UnclaimedFiles;
    /** What POSTs write to: once for each `Idempotency-Key`. */
    writes: { receipts: ReceiptStore; stores: Stores };
    statistics: StatisticsStore;
    feed: TaskFeed;
    previews: PreviewStore;
    keys: KeyRing;
    sessions: SessionRing;
    passwords: Passwords;
    /** Where one is set up. */
    identityProvider: IdentityProvider | undefined;
    /** Who comes in by it without an invitation. */
    admission: { domains: readonly string[]; findFirstClientId(): Promise<string | undefined> };
    readiness: Readiness;
    operation: Operation;
    stemCache: StemCachePort;
    textWriter: TextWriter;
    quota: StorageQuota;
    rateCounts: RateCounts;
    /** What is made of a Task's outputs; the link that names it is the permission. */
    exports: { findTask(id: string): Promise<TaskRecord | undefined>; stemFiles: StemFileMaker };
  };

/** What a routes file is given: the ports that it names. */
export type Api<Port extends keyof ApiPorts> = {
  app: FastifyInstance<
    RawServerDefault,
    RawRequestDefaultExpression,
    RawReplyDefaultExpression,
    FastifyBaseLogger,
    ZodTypeProvider
  >;
  ports: Pick<ApiPorts, Port>;
  links: Links;
  /** Links of outputs, which may be in a customer's bucket. */
  outputLinks: OutputLinks;
  /** The service as clients see it. */
  publicBaseUrl: () => string;
  config: Pick<
    Config,
    | "uploadMaxBytes"
    | "rateLimitPerSecond"
    | "trustProxy"
    | "metricsToken"
    | "connectionLimits"
    | "eventStreams"
    | "waits"
    | "load"
    | "aws"
  >;
};

/** For those who hand it on. */
export type WholeApi = Api<keyof ApiPorts>;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route needs no key. */
    isPublic?: boolean;
    /** The route tells how the service does: it is served when all else is refused, and looks at no key. */
    isHealth?: boolean;
    /** The route finds its caller itself, in other headers. */
    looksAtKeysItself?: boolean;
    /** The route is for keys of the role admin. */
    isAdmin?: boolean;
    /** An administrator may name the client the request is for; so it is on every route that needs a key. */
    takesClientId?: boolean;
    /** The answer carries an ETag, and is 304 to who has it. */
    isTagged?: boolean;
  }
}
