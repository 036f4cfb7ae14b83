import {
  MAX_WORDS_BODY_BYTES,
  targetParams,
  toFileName,
  toMimeType,
  type WordsVersion,
  words,
  wordsEdit,
  wordsExportQuery,
} from "@stemwright/contract";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { toContentDisposition } from "../../../domain/content-disposition.ts";
import { toEditedName } from "../../../domain/exports/archive.ts";
import { toOutputNames } from "../../../domain/tasks/output-names.ts";
import { findRecordingName, toDownloadName } from "../../../domain/tasks/recording-name.ts";
import type { TaskRecord } from "../../../domain/tasks/task-record.ts";
import { dropEdit, saveWords } from "../../../domain/words/edit-words.ts";
import { getTextTarget, loadDocument, loadWords } from "../../../domain/words/load-words.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api, ApiPorts } from "../../api.ts";
import { getTask } from "../tasks/task-routes.ts";

const PATH = "/tasks/:id/targets/:targetId/words";
const tags = ["Words"];
const response = { 200: words };

/** Words are checked where they are read; the schema would take another half second for ten hours of them. */
export const heavy = { config: { isHeavy: true }, serializerCompiler: () => JSON.stringify };

export const exportResponse = {
  200: {
    description: "The words in that format",
    content: { "*/*": { schema: z.unknown().meta({ type: "string" }) } },
  },
};

/** A target's words, in the client's edited version if there is one. The service's version is never overwritten. */
export function addWordsRoutes({
  app,
  ports,
}: Api<"assets" | "blobs" | "tasks" | "textWriter" | "words">): void {
  app.get(
    PATH,
    {
      ...heavy,
      schema: { tags, summary: "Get the words of a target, as edited", params: targetParams, response },
    },
    async (request) => {
      const task = await getTask(ports, getCaller(request), request.params.id);
      return await loadWords(ports, task, request.params.targetId);
    },
  );

  app.put(
    PATH,
    {
      ...heavy,
      bodyLimit: MAX_WORDS_BODY_BYTES,
      schema: {
        tags,
        summary: "Save edited words",
        description: "Stored beside the original words. An edit of an older revision is 409.",
        params: targetParams,
        body: wordsEdit,
        response,
      },
    },
    async (request) => {
      const task = await getTask(ports, getCaller(request), request.params.id);
      return await saveWords(ports, task, { targetId: request.params.targetId, edit: request.body });
    },
  );

  app.delete(
    PATH,
    {
      ...heavy,
      schema: {
        tags,
        summary: "Reset to the original words",
        params: targetParams,
        response,
      },
    },
    async (request) => {
      const task = await getTask(ports, getCaller(request), request.params.id);
      return await dropEdit(ports, task, request.params.targetId);
    },
  );

  app.get(
    `${PATH}/export`,
    {
      config: heavy.config,
      schema: {
        tags,
        summary: "Export words",
        params: targetParams,
        querystring: wordsExportQuery,
        response: exportResponse,
      },
    },
    async (request, reply) => {
      const task = await getTask(ports, getCaller(request), request.params.id);
      return await sendExport(ports, reply, { task, ...request.params, ...request.query });
    },
  );
}

export type WordsExport = {
  task: TaskRecord;
  targetId: string;
  format: string;
  version: WordsVersion;
  /** Whether the file's name may tell the recording's. */
  isNamed?: boolean;
};

/** Sends the words as a file. */
export async function sendExport(
  ports: Pick<ApiPorts, "assets" | "blobs" | "textWriter" | "words">,
  reply: FastifyReply,
  { task, targetId, format, version, isNamed = true }: WordsExport,
): Promise<FastifyReply> {
  const target = getTextTarget(task, targetId);
  const { document, edit } = await loadDocument(ports, task, target, version);
  const name = toOutputNames(target)[0]?.name ?? target.model;
  const recording = isNamed ? await findRecordingName(ports, task) : undefined;
  const shown = toDownloadName(recording, edit?.document ? toEditedName(name) : name);
  return reply
    .header("content-type", toMimeType(format))
    .header("content-disposition", toContentDisposition(toFileName(name, format), toFileName(shown, format)))
    .send(ports.textWriter.write(document, format, target));
}
