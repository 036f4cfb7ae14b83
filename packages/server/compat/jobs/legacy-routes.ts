import {
  ApiError,
  idParams,
  type LegacyUsage,
  legacyAsset,
  legacyJob,
  legacyJobRequest,
  legacyLinkRequest,
  legacyUsage,
  newLegacyJob,
  type PageQuery,
  pageQuery,
} from "@stemwright/contract";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { getFound, makeUnknownError } from "../../domain/get-found.ts";
import type { Listed } from "../../domain/ports.ts";
import type { LegacyJobRecord } from "../../domain/tasks/legacy-job-record.ts";
import { getCaller } from "../../http/access/authenticate.ts";
import type { WholeApi } from "../../http/api.ts";
import { onceAfter, onceHarmless } from "../../http/requests/once.ts";
import { receiveAsset } from "../../http/routes/files/asset-routes.ts";
import { keepAsset } from "../../http/uploads/keep-asset.ts";
import { getLegacyCaller } from "./authenticate-token.ts";
import { insertLegacyJob, prepareLegacyJob } from "./create-legacy-job.ts";
import { toLegacyAsset, toLegacyJob, toNewLegacyJob } from "./legacy-job-view.ts";
import { toCurrentSpelling } from "./older-spellings.ts";
import { type LinkOpener, storeLink } from "./store-link.ts";

export interface LegacyPorts extends LinkOpener {
  findJob(clientId: string, id: string): Promise<LegacyJobRecord | undefined>;
  listJobs(clientId: string, page: PageQuery): Promise<Listed<LegacyJobRecord>>;
  loadUsage(clientId: string): Promise<LegacyUsage["usage"]>;
}

type LegacyApi = WholeApi & { legacy: LegacyPorts };

const tags = ["Jobs (legacy)"];
const security = [{ legacyToken: [] }];
/** These routes check the token themselves, so they are public for the rest of the service. */
const byToken = { isPublic: true, looksAtKeysItself: true, takesToken: true };

/** The older interface, at the root beside the new one. Its whole HTTP layer is in this folder. */
export async function addLegacyRoutes(api: LegacyApi): Promise<void> {
  await api.app.register(async (scope) => {
    scope.addHook("preParsing", async (request, reply) => {
      request.caller = await api.limitLookUp({ request, reply }, () =>
        getLegacyCaller(api.ports.keys, request),
      );
    });
    scope.addHook("preValidation", async (request) => {
      request.body = toCurrentSpelling(request.body);
    });
    const scoped: LegacyApi = { ...api, app: scope.withTypeProvider<ZodTypeProvider>() };
    addUploadRoutes(scoped);
    addJobRoutes(scoped);
    addUsageRoute(scoped);
  });
}

function addUploadRoutes(api: LegacyApi): void {
  const { app, ports, legacy, links, config } = api;
  const shared = { tags, security: [{ legacyToken: [] }, { apiKey: [] }], response: { 200: legacyAsset } };
  const byEither = { ...byToken, takesApiKey: true, isLong: true };

  app.post(
    "/upload",
    {
      config: byEither,
      schema: {
        ...shared,
        summary: "Upload a file",
        description: "multipart/form-data with one part named `file`.",
        consumes: ["multipart/form-data"],
      },
    },
    (request, reply) => receiveAsset(api, { request, reply }, (stored) => toLegacyAsset(stored, links)),
  );

  const closing = new AbortController();
  // Shutdown must not wait for a file from another server.
  app.addHook("preClose", async () =>
    closing.abort(new ApiError("UNAVAILABLE", "The service is shutting down; try again in a moment")),
  );
  for (const { url, deprecated } of [
    { url: "/upload/link", deprecated: false },
    { url: "/upload/audio-link", deprecated: true },
  ])
    app.post(
      url,
      {
        config: byEither,
        schema: { ...shared, summary: "Import a file from a URL", body: legacyLinkRequest, deprecated },
      },
      (request, reply) =>
        keepAsset(
          ports,
          { request, reply },
          {
            content: request.body,
            store: () =>
              storeLink({ ...ports, links: legacy }, getCaller(request), {
                request: request.body,
                maxBytes: config.uploadMaxBytes,
                signal: closing.signal,
              }),
            toAnswer: (stored) => toLegacyAsset(stored, links),
          },
        ),
    );
}

function addJobRoutes({ app, ports, legacy, links }: LegacyApi): void {
  app.post(
    "/job",
    {
      config: byToken,
      schema: {
        tags,
        security,
        summary: "Create a job",
        body: legacyJobRequest,
        response: { 200: z.object({ job: newLegacyJob }) },
      },
    },
    (request, reply) =>
      onceAfter(
        ports,
        { request, reply },
        {
          prepare: () =>
            prepareLegacyJob(ports, getCaller(request), { request: request.body, requestId: request.id }),
          write: async ({ tasks }, prepared) => ({
            job: toNewLegacyJob(await insertLegacyJob(tasks, prepared)),
          }),
        },
      ),
  );

  app.get(
    "/job",
    {
      config: byToken,
      schema: {
        tags,
        security,
        summary: "List jobs, newest first",
        querystring: pageQuery,
        response: { 200: z.object({ jobs: z.array(legacyJob) }) },
      },
    },
    async (request, reply) => {
      const { items, total } = await legacy.listJobs(getCaller(request).clientId, request.query);
      void reply.header("x-total-count", total);
      return { jobs: items.map((job) => toLegacyJob(job, links)) };
    },
  );

  app.get(
    "/job/:id",
    {
      config: byToken,
      schema: {
        tags,
        security,
        summary: "Get a job",
        params: idParams,
        response: { 200: z.object({ job: legacyJob }) },
      },
    },
    async (request) => {
      const { clientId } = getCaller(request);
      const find = (id: string) => legacy.findJob(clientId, id);
      const job = await getFound(request.params.id, find, makeUnknownError("job"));
      return { job: toLegacyJob(job, links) };
    },
  );
}

function addUsageRoute({ app, ports, legacy }: LegacyApi): void {
  for (const method of ["GET", "POST"] as const)
    app.route({
      method,
      url: "/usage",
      config: byToken,
      schema: {
        tags,
        security,
        summary: "Get usage of the last three months",
        response: { 200: legacyUsage },
      },
      handler: (request, reply) =>
        onceHarmless(ports, { request, reply }, async () => {
          const { clientId } = getCaller(request);
          return { clientId, usage: await legacy.loadUsage(clientId) };
        }),
    });
}
