import {
  idParams,
  newShare,
  previewChunkQuery,
  previewPeaksQuery,
  share,
  sharedChunkParams,
  sharedTargetParams,
  sharedTask,
  shareParams,
  shareRequest,
  shareTokenParams,
  taskPreviews,
  words,
  wordsExportQuery,
} from "@stemwright/contract";
import { z } from "zod";
import { findInputAsset } from "../../../domain/assets/find-input-asset.ts";
import { getFound, makeUnknownError } from "../../../domain/get-found.ts";
import {
  describePreviews,
  loadChunk,
  loadTrackPeaks,
  loadTrackSpectra,
} from "../../../domain/previews/load-previews.ts";
import { getShared, shareTask } from "../../../domain/shares/share-task.ts";
import { toNewShare, toShare, toSharedTask } from "../../../domain/shares/share-view.ts";
import { loadWords } from "../../../domain/words/load-words.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { onceAfter } from "../../requests/once.ts";
import { previewParts, sendPreviewParts } from "../tasks/preview-answers.ts";
import { getTask } from "../tasks/task-routes.ts";
import { exportResponse, heavy, sendExport } from "../words/words-routes.ts";

const tags = ["Shares"];
const unknownShare = makeUnknownError("share");

export function addShareRoutes(
  api: Api<
    "assets" | "blobs" | "installed" | "previews" | "shares" | "tasks" | "textWriter" | "words" | "writes"
  >,
): void {
  addSharesOfTask(api);
  addSharedViews(api);
  addSharedPreviews(api);
}

/** The token is the permission, so no key is needed. */
const config = { isPublic: true };
const security = [{}];

function addSharesOfTask({ app, ports, publicBaseUrl }: Api<"shares" | "tasks" | "writes">): void {
  app.post(
    "/tasks/:id/shares",
    {
      schema: {
        tags,
        summary: "Create a share link",
        description: "Read-only, without an account, until it expires or is revoked.",
        params: idParams,
        body: shareRequest,
        response: { 200: newShare },
      },
    },
    (request, reply) =>
      onceAfter(
        ports,
        { request, reply },
        {
          prepare: () => getTask(ports, getCaller(request), request.params.id),
          write: async ({ shares }, task) => {
            const made = await shareTask(shares, task, request.body);
            return toNewShare(made.share, { token: made.token, baseUrl: publicBaseUrl() });
          },
        },
      ),
  );

  app.get(
    "/tasks/:id/shares",
    {
      schema: {
        tags,
        summary: "List active share links",
        params: idParams,
        response: { 200: z.array(share) },
      },
    },
    async (request) => {
      const task = await getTask(ports, getCaller(request), request.params.id);
      return (await ports.shares.listShares(task.id)).map(toShare);
    },
  );

  app.delete(
    "/tasks/:id/shares/:shareId",
    {
      schema: {
        tags,
        summary: "Revoke a share link",
        params: shareParams,
        response: { 200: z.object({ id: z.string() }) },
      },
    },
    async (request) => {
      const { id, shareId } = request.params;
      const task = await getTask(ports, getCaller(request), id);
      await getFound(shareId, (wanted) => ports.shares.deleteShare(task.id, wanted), unknownShare);
      return { id: shareId };
    },
  );
}

/** What a share shows, apart from its audio. */
function addSharedViews({
  app,
  ports,
  links,
}: Api<"assets" | "blobs" | "shares" | "textWriter" | "words">): void {
  app.get(
    "/shares/:token",
    {
      config,
      schema: {
        tags,
        security,
        summary: "Get a shared Task",
        params: shareTokenParams,
        response: { 200: sharedTask },
      },
    },
    async (request) => {
      const { task, share } = await getShared(ports.shares, request.params.token);
      const name = share.showsName ? (await findInputAsset(ports, task))?.name : undefined;
      // Never presigned by a bucket, which would serve them after the share has ended.
      return toSharedTask({ task, share, name }, links.ofShare(share));
    },
  );

  app.get(
    "/shares/:token/targets/:targetId/words",
    {
      ...heavy,
      config: { ...config, ...heavy.config },
      schema: {
        tags,
        security,
        summary: "Get words of a shared Task",
        params: sharedTargetParams,
        response: { 200: words },
      },
    },
    async (request) => {
      const { task } = await getShared(ports.shares, request.params.token);
      return await loadWords(ports, task, request.params.targetId);
    },
  );

  app.get(
    "/shares/:token/targets/:targetId/words/export",
    {
      config: { ...config, ...heavy.config },
      schema: {
        tags,
        security,
        summary: "Export words of a shared Task",
        params: sharedTargetParams,
        querystring: wordsExportQuery,
        response: exportResponse,
      },
    },
    async (request, reply) => {
      const { task, share } = await getShared(ports.shares, request.params.token);
      const isNamed = share.showsName;
      return await sendExport(ports, reply, { task, ...request.params, ...request.query, isNamed });
    },
  );
}

/** The audio of a share: the same previews as for the Task's owner. */
function addSharedPreviews({ app, ports }: Api<"blobs" | "installed" | "previews" | "shares">): void {
  app.get(
    "/shares/:token/previews",
    {
      config,
      schema: {
        tags,
        security,
        summary: "List playable tracks of a shared Task",
        params: shareTokenParams,
        response: { 200: taskPreviews },
      },
    },
    async (request) => {
      const { task } = await getShared(ports.shares, request.params.token);
      return await describePreviews(ports, task);
    },
  );

  app.get(
    "/shares/:token/previews/chunks/:index",
    {
      config,
      schema: {
        tags,
        security,
        summary: "Get a preview chunk of a shared Task",
        params: sharedChunkParams,
        querystring: previewChunkQuery,
        response: previewParts,
      },
    },
    async (request, reply) => {
      const { token, index } = request.params;
      const { task } = await getShared(ports.shares, token);
      return sendPreviewParts(reply, await loadChunk(ports, task, { ...request.query, index }));
    },
  );

  app.get(
    "/shares/:token/previews/peaks",
    {
      config,
      schema: {
        tags,
        security,
        summary: "Get peaks of a shared Task",
        params: shareTokenParams,
        querystring: previewPeaksQuery,
        response: previewParts,
      },
    },
    async (request, reply) => {
      const { task } = await getShared(ports.shares, request.params.token);
      return sendPreviewParts(reply, await loadTrackPeaks(ports, task, request.query));
    },
  );

  app.get(
    "/shares/:token/previews/spectra",
    {
      config,
      schema: {
        tags,
        security,
        summary: "Get spectrograms of a shared Task",
        params: shareTokenParams,
        querystring: previewPeaksQuery,
        response: previewParts,
      },
    },
    async (request, reply) => {
      const { task } = await getShared(ports.shares, request.params.token);
      return sendPreviewParts(reply, await loadTrackSpectra(ports, task, request.query));
    },
  );
}
