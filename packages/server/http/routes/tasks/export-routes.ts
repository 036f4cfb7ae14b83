import { Readable } from "node:stream";
import {
  ApiError,
  exportParams,
  idParams,
  shareTokenParams,
  type TaskExports,
  taskExports,
  taskExportsQuery,
  type WordsVersion,
} from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { findInputAsset } from "../../../domain/assets/find-input-asset.ts";
import { toContentDisposition } from "../../../domain/content-disposition.ts";
import { checkArchiveFiles, type EditedTexts, listArchiveFiles } from "../../../domain/exports/archive.ts";
import { planStemFile, type StemFilePlan } from "../../../domain/exports/stem-file-plan.ts";
import type { ExportSigner } from "../../../domain/links.ts";
import type { ShareRecord } from "../../../domain/shares/share-record.ts";
import { getShared } from "../../../domain/shares/share-task.ts";
import { findRecordingName } from "../../../domain/tasks/recording-name.ts";
import type { TaskRecord } from "../../../domain/tasks/task-record.ts";
import { isText } from "../../../domain/words/load-words.ts";
import { countZipBytes, makeZip } from "../../../exports/make-zip.ts";
import { getCaller } from "../../access/authenticate.ts";
import { checkLink, linkQuery, sendWhileShared } from "../../access/signed-links.ts";
import type { Api } from "../../api.ts";
import { getTask } from "./task-routes.ts";

/** TCP keep-alive interval, to notice clients that vanished. */
const KEEP_ALIVE_MS = 30_000;

/** A Task's outputs in one file: as a zip, and for DJ software. */
export function addExportRoutes(
  api: Api<"assets" | "blobs" | "exports" | "shares" | "tasks" | "textWriter" | "words">,
): void {
  const { app, ports } = api;
  app.get(
    "/tasks/:id/exports",
    {
      schema: {
        tags: ["Tasks"],
        summary: "List exports of a Task",
        description:
          "Links to all of its outputs in one file, good for an hour. Words that were edited are in it as edited, unless `version` says otherwise.",
        params: idParams,
        querystring: taskExportsQuery,
        response: { 200: taskExports },
      },
    },
    async (request) => {
      const task = await getTask(ports, getCaller(request), request.params.id);
      return await describeExports(api, { task, isNamed: true, ...request.query }, api.links);
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
        querystring: taskExportsQuery,
        response: { 200: taskExports },
      },
    },
    async (request) => {
      const { task, share } = await getShared(ports.shares, request.params.token);
      const isNamed = share.showsName;
      return await describeExports(api, { task, isNamed, ...request.query }, api.links.ofShare(share));
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
      return await (file === "outputs.stem.mp4"
        ? sendStemFile(api, exchange)
        : sendArchive(api, { ...exchange, version: file === "originals.zip" ? "original" : "edited" }));
    },
  );
}

async function describeExports(
  api: Api<"assets" | "blobs" | "textWriter" | "words">,
  wanted: ZipWanted,
  links: ExportSigner,
): Promise<TaskExports> {
  const { task, version } = wanted;
  const edited = await loadEditedTexts(api.ports, task);
  const files = await listZipFiles(api, wanted, edited);
  const plan = await findPlan(api, task);
  return {
    ...(edited.size > 0 ? { editedTargets: [...edited.keys()] } : {}),
    ...(files.length > 0
      ? {
          archive: {
            link: links.signExport(task.id, version === "original" ? "originals.zip" : "outputs.zip"),
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

/** What an archive is made of. `isNamed` if its files may tell the recording's name. */
type ZipWanted = { task: TaskRecord; version: WordsVersion; isNamed: boolean };

async function listZipFiles(
  { ports }: Api<"assets">,
  { task, version, isNamed }: ZipWanted,
  edited: EditedTexts,
) {
  const recording = isNamed ? await findRecordingName(ports, task) : undefined;
  const texts = version === "edited" ? edited : new Map();
  return listArchiveFiles(task, { recording, edited: texts }).map((file) => ({
    ...file,
    modifiedAt: task.completedAt ?? task.createdAt,
  }));
}

/** The edited words of a Task's targets; most have none, which one look for each tells. */
async function loadEditedTexts(
  ports: Api<"textWriter" | "words">["ports"],
  task: TaskRecord,
): Promise<EditedTexts> {
  const texts = new Map<string, (format: string) => string>();
  for (const target of task.targets.filter(isText)) {
    const document = (await ports.words.findEdit(target.id))?.document;
    if (document) texts.set(target.id, (format) => ports.textWriter.write(document, format, target));
  }
  return texts;
}

type Exchange = {
  request: FastifyRequest;
  reply: FastifyReply;
  task: TaskRecord;
  /** The share that the link is from, if any. */
  share: ShareRecord | undefined;
};

async function sendArchive(
  api: Api<"assets" | "blobs" | "shares" | "textWriter" | "words">,
  { request, version, ...exchange }: Exchange & { version: WordsVersion },
): Promise<FastifyReply> {
  const { reply, task, share } = exchange;
  const { blobs } = api.ports;
  const wanted = { task, version, isNamed: isNameTold(share) };
  const files = await listZipFiles(api, wanted, await loadEditedTexts(api.ports, task));
  await checkArchiveFiles(files, blobs.findSize);
  await nameFile(api, exchange, "zip");
  void reply.header("content-type", "application/zip").header("content-length", countZipBytes(files));
  const entries = files.map((file) => ({
    ...file,
    open: async () =>
      file.blobKey === undefined ? Readable.from([file.content]) : await blobs.read(file.blobKey),
  }));
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

const isNameTold = (share: ShareRecord | undefined) => share === undefined || share.showsName;

/** Named after the recording, if its name is known and may be told. */
async function nameFile(
  api: Api<"assets">,
  { reply, task, share }: Omit<Exchange, "request">,
  extension: string,
): Promise<void> {
  const name = isNameTold(share) ? await findRecordingName(api.ports, task) : undefined;
  const plain = `${share ? "outputs" : task.id}.${extension}`;
  void reply.header(
    "content-disposition",
    toContentDisposition(plain, name ? `${name}.${extension}` : plain),
  );
}
