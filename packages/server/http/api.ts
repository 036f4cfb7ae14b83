import type {
  DistributionRow,
  QueueState,
  ServiceHealth,
  TargetStatus,
  UsageRow,
  Worker,
} from "@stemwright/contract";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Config } from "../config/load-config.ts";
import type { AddressRules } from "../domain/accounts/address-rules.ts";
import type { Identity, IdentityFlow } from "../domain/accounts/identity.ts";
import type { Passwords } from "../domain/accounts/passwords.ts";
import type { StemFilePlan } from "../domain/exports/stem-file-plan.ts";
import type { Links } from "../domain/links.ts";
import type { Blobs, StemCachePort } from "../domain/ports.ts";
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
import type { PartialFiles } from "../domain/uploads/partial-files.ts";
import type { WordsDocument, WordsLayout } from "../domain/words/words-record.ts";
import type { Readiness } from "../monitoring/readiness.ts";
import type { KeyLookup } from "./access/authenticate.ts";
import type { SessionLookup } from "./access/session-caller.ts";
import type { RateLimit } from "./limits/rate-limit.ts";

/** Sign-in with an account at another service. */
export interface IdentityProvider {
  /** Shown on the button. */
  name: string;
  /** The URL to redirect to, and the state needed on return. */
  start(redirectUrl: string): Promise<{ url: string; flow: IdentityFlow }>;
  /** The identity of whoever returned. Fails unless the response belongs to that start. */
  finish(currentUrl: URL, flow: IdentityFlow): Promise<Identity>;
}

/** Produces the file while it is read; throws a Refusal before the first part if that is impossible. */
export interface StemFileMaker {
  /** For a client, who gets half of the places at most. */
  make(plan: StemFilePlan, clientId: string): AsyncIterable<Uint8Array>;
}

/** Writes words in any text format. */
export interface TextWriter {
  write(document: WordsDocument, format: string, layout?: WordsLayout): string;
}

/** The state of the running service. */
export interface Operation {
  listWorkers(): Promise<Worker[]>;
  readQueues(): Promise<QueueState[]>;
  countTargets(): Promise<{ status: TargetStatus; targets: number; tasks: number }[]>;
  checkHealth(): Promise<ServiceHealth>;
}

export interface StatisticsStore {
  /** `since` is the first month, as YYYY-MM. */
  listUsage(clientId: string, since: string | undefined): Promise<UsageRow[]>;
  listDistribution(clientId: string, since: string | undefined): Promise<DistributionRow[]>;
}

export type ApiPorts = CheckPorts &
  StoragePorts &
  Stores & {
    blobs: Blobs;
    partials: PartialFiles;
    unclaimed: UnclaimedFiles;
    /** Stores for POSTs, which write once per `Idempotency-Key`. */
    writes: { receipts: ReceiptStore; stores: Stores };
    statistics: StatisticsStore;
    feed: TaskFeed;
    previews: PreviewStore;
    keys: KeyLookup;
    sessions: SessionLookup;
    passwords: Passwords;
    /** Undefined if none is configured. */
    identityProvider: IdentityProvider | undefined;
    /** Whose the email addresses of some domains are. */
    admission: AddressRules;
    readiness: Readiness;
    operation: Operation;
    stemCache: StemCachePort;
    textWriter: TextWriter;
    quota: StorageQuota;
    rateCounts: RateCounts;
    /** Exports of a Task's outputs. The signed link is the permission, so Tasks are found by id alone. */
    exports: { findTask(id: string): Promise<TaskRecord | undefined>; stemFiles: StemFileMaker };
  };

/** What a routes file gets: only the ports it names. */
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
  /** The URL clients reach the service at. */
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

/** For code that passes all ports on. */
export type WholeApi = Api<keyof ApiPorts> & Pick<RateLimit, "limitLookUp">;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route needs no key. */
    isPublic?: boolean;
    /** A health check: served even when everything else is rejected, and without a key. */
    isHealth?: boolean;
    /** The route authenticates its caller itself, from other headers. */
    looksAtKeysItself?: boolean;
    /** The route requires a key with the role admin. */
    isAdmin?: boolean;
    /** An administrator may name the client to act for. Set on every route that needs a key. */
    takesClientId?: boolean;
    /** The response carries an ETag; a matching `If-None-Match` gets 304. */
    isTagged?: boolean;
  }
}
