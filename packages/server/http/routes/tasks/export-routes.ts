import { Readable } from "node:stream";
import {
  ApiError,
  exportParams,
  idParams,
  shareTokenParams,
  type TaskExports,
  taskExports,
} from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { findInputAsset } from "../../../domain/assets/find-input-asset.ts";
import { toContentDisposition } from "../../../domain/content-disposition.ts";
import { checkArchiveFiles, listArchiveFiles } from "../../../domain/exports/archive.ts";
import { planStemFile, type StemFilePlan } from "../../../domain/exports/stem-file-plan.ts";
import type { ExportSigner } from "../../../domain/links.ts";
import type { ShareRecord } from "../../../domain/shares/share-record.ts";
import { getShared } from "../../../domain/shares/share-task.ts";
import type { TaskRecord } from "../../../domain/tasks/task-record.ts";
import { countZipBytes, makeZip } from "../../../exports/make-zip.ts";
import { getCaller } from "../../access/authenticate.ts";
import { checkLink, linkQuery, sendWhileShared } from "../../access/signed-links.ts";
import type { Api } from "../../api.ts";
import { getTask } from "./task-routes.ts";

/** TCP keep-alive interval, to notice clients that vanished. */
const KEEP_ALIVE_MS = 30_000;

/** A Task's outputs in one file: as a zip, and for DJ software. */
export function addExportRoutes(api: Api<"assets" | "blobs" | "exports" | "shares" | "tasks">): void {
  const { app, ports } = api;
  app.get(
    "/tasks/:id/exports",
    {
      schema: {
        tags: ["Tasks"],
        summary: "List exports of a Task",
        description: "Links to all of its outputs in one file, good for an hour.",
        params: idParams,
        response: { 200: taskExports },
      },
    },
    async (request) => {
      const task = await getTask(ports, getCaller(request), request.params.id);
      return await describeExports(api, task, api.links);
    },
  );

  app.get(
    "/shares/:token/exports",
    {
      config: { isPublic: true },
      schema: {
        tags: ["Shares"],
        security: [{}],
        summary: "List exports of a shared Task",
        params: shareTokenParams,
        response: { 200: taskExports },
      },
    },
    async (request) => {
      const { task, share } = await getShared(ports.shares, request.params.token);
      return await describeExports(api, task, api.links.ofShare(share));
    },
  );

  app.get(
    "/exports/:id/:file",
    {
      // Building a stem file takes a while before the first byte.
      config: { isPublic: true, isLong: true },
      schema: {
        tags: ["Files"],
        summary: "Download an export",
        security: [{}],
        params: exportParams,
        querystring: linkQuery,
        response: {
          200: {
            description: "The file",
            content: { "*/*": { schema: z.unknown().meta({ description: "Bytes" }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const share = await checkLink({ links: api.links, shares: ports.shares }, request);
      const { id, file } = request.params;
      const task = await ports.exports.findTask(id);
      if (!task) throw new ApiError("NOT_FOUND", "The Task was deleted");
      const exchange = { request, reply, task, share };
      return await (file === "outputs.zip" ? sendArchive(api, exchange) : sendStemFile(api, exchange));
    },
  );
}

async function describeExports(
  api: Api<"assets">,
  task: TaskRecord,
  links: ExportSigner,
): Promise<TaskExports> {
  const files = listZipFiles(task);
  const plan = await findPlan(api, task);
  return {
    ...(files.length > 0
      ? {
          archive: {
            link: links.signExport(task.id, "outputs.zip"),
            size: countZipBytes(files),
            files: files.length,
          },
        }
      : {}),
    ...(plan
      ? {
          stemFile: {
            link: links.signExport(task.id, "outputs.stem.mp4"),
            stems: plan.stems.map(({ name }) => name),
          },
        }
      : {}),
  };
}

const findPlan = async (api: Api<"assets">, task: TaskRecord): Promise<StemFilePlan | undefined> =>
  planStemFile(task, (await findInputAsset(api.ports, task))?.blobKey);

const listZipFiles = (task: TaskRecord) =>
  listArchiveFiles(task).map((file) => ({ ...file, modifiedAt: task.completedAt ?? task.createdAt }));

type Exchange = {
  request: FastifyRequest;
  reply: FastifyReply;
  task: TaskRecord;
  /** The share that the link is from, if any. */
  share: ShareRecord | undefined;
};

async function sendArchive(
  api: Api<"assets" | "blobs" | "shares">,
  { request, ...exchange }: Exchange,
): Promise<FastifyReply> {
  const { reply, task } = exchange;
  const { blobs } = api.ports;
  const files = listZipFiles(task);
  await checkArchiveFiles(files, blobs.findSize);
  await nameFile(api, exchange, "zip");
  void reply.header("content-type", "application/zip").header("content-length", countZipBytes(files));
  const entries = files.map((file) => ({ ...file, open: () => blobs.read(file.blobKey) }));
  const content = Readable.from(request.method === "HEAD" ? [] : makeZip(entries));
  return sendWhileShared(api.ports, exchange, content);
}

async function sendStemFile(
  api: Api<"assets" | "exports" | "shares">,
  { request, ...exchange }: Exchange,
): Promise<FastifyReply> {
  const { reply, task } = exchange;
  const plan = await findPlan(api, task);
  if (!plan) throw new ApiError("NOT_FOUND", "No stem file can be made of the Task");
  await nameFile(api, exchange, "stem.mp4");
  void reply.header("content-type", "audio/mp4");
  if (request.method === "HEAD") return reply.send(Readable.from([]));
  const { socket } = request.raw;
  // Nothing is sent while a track is encoded. The timeout is set again before the next request of this connection.
  socket.setTimeout(0);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  const parts = api.ports.exports.stemFiles.make(plan, task.clientId)[Symbol.asyncIterator]();
  // Failures before the first byte still get an error response.
  const first = await parts.next();
  return sendWhileShared(api.ports, exchange, Readable.from(withFirst(first, parts)));
}

async function* withFirst<Part>(
  first: IteratorResult<Part>,
  rest: AsyncIterator<Part>,
): AsyncGenerator<Part> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Named after the recording, if its name is known and may be told. */
async function nameFile(
  api: Api<"assets">,
  { reply, task, share }: Omit<Exchange, "request">,
  extension: string,
): Promise<void> {
  const isTold = share === undefined || share.showsName;
  const name = isTold ? (await findInputAsset(api.ports, task))?.name.replace(/\.[^.]+$/, "") : undefined;
  const plain = `${share ? "outputs" : task.id}.${extension}`;
  void reply.header(
    "content-disposition",
    toContentDisposition(plain, name ? `${name}.${extension}` : plain),
  );
}
