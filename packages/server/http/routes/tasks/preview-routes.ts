import {
  idParams,
  previewChunkParams,
  previewChunkQuery,
  previewPeaksQuery,
  taskPreviews,
} from "@stemwright/contract";
import {
  describePreviews,
  loadChunk,
  loadTrackPeaks,
  loadTrackSpectra,
} from "../../../domain/previews/load-previews.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { previewParts, sendPreviewParts } from "./preview-answers.ts";
import { getTask } from "./task-routes.ts";

/** What a player needs to play a Task's stems together, even while the Task runs. */
export function addPreviewRoutes({ app, ports }: Api<"blobs" | "installed" | "previews" | "tasks">): void {
  const tags = ["Tasks"];

  app.get(
    "/tasks/:id/previews",
    {
      schema: {
        tags,
        summary: "List playable tracks",
        description: "The input and each stem, in chunks of a few seconds, available while the Task runs.",
        params: idParams,
        response: { 200: taskPreviews },
      },
    },
    async (request) => describePreviews(ports, await getTask(ports, getCaller(request), request.params.id)),
  );

  app.get(
    "/tasks/:id/previews/chunks/:index",
    {
      schema: {
        tags,
        summary: "Get a preview chunk",
        description:
          "A part for each track: the gain to multiply its samples with, as a 32-bit float, and a FLAC file; empty if the track is not ready there.",
        params: previewChunkParams,
        querystring: previewChunkQuery,
        response: previewParts,
      },
    },
    async (request, reply) => {
      const { id, index } = request.params;
      const task = await getTask(ports, getCaller(request), id);
      return sendPreviewParts(reply, await loadChunk(ports, task, { ...request.query, index }));
    },
  );

  app.get(
    "/tasks/:id/previews/peaks",
    {
      schema: {
        tags,
        summary: "Get peaks",
        description:
          "A part for each track: a `.dat` file of version 2 of audiowaveform, with 8 bits and one channel.",
        params: idParams,
        querystring: previewPeaksQuery,
        response: previewParts,
      },
    },
    async (request, reply) => {
      const task = await getTask(ports, getCaller(request), request.params.id);
      return sendPreviewParts(reply, await loadTrackPeaks(ports, task, request.query));
    },
  );

  app.get(
    "/tasks/:id/previews/spectra",
    {
      schema: {
        tags,
        summary: "Get spectrograms",
        description: "A part for each track: concatenated columns of one byte per band.",
        params: idParams,
        querystring: previewPeaksQuery,
        response: previewParts,
      },
    },
    async (request, reply) => {
      const task = await getTask(ports, getCaller(request), request.params.id);
      return sendPreviewParts(reply, await loadTrackSpectra(ports, task, request.query));
    },
  );
}
