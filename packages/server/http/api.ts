import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Config } from "../config/load-config.ts";
import type { Links } from "../domain/links.ts";
import type { Blobs } from "../domain/ports.ts";
import type { OutputLinks } from "../domain/storage/output-links.ts";
import type { StoragePorts } from "../domain/storage/storage-ports.ts";
import type { CreateTaskPorts } from "../domain/tasks/create-task.ts";
import type { KeyRing } from "./authenticate.ts";

export type ApiPorts = CreateTaskPorts &
  StoragePorts & {
    blobs: Blobs;
    keys: KeyRing;
    health: { isReady(): Promise<boolean> };
  };

/** What every routes file is given. */
export type Api = {
  app: FastifyInstance<
    RawServerDefault,
    RawRequestDefaultExpression,
    RawReplyDefaultExpression,
    FastifyBaseLogger,
    ZodTypeProvider
  >;
  ports: ApiPorts;
  links: Links;
  /** Links of outputs, which may lie in a customer's bucket. */
  outputLinks: OutputLinks;
  config: Pick<Config, "uploadMaxBytes" | "rateLimitPerSecond">;
};

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route needs no key. */
    isPublic?: boolean;
  }
}
