import { gap, realignment, realignmentParams, targetParams } from "@stemwright/contract";
import { z } from "zod";
import { getFound, makeUnknownError } from "../../../domain/get-found.ts";
import { getTextTarget } from "../../../domain/words/load-words.ts";
import { makeTooManyError, prepareRealignment, toRealignment } from "../../../domain/words/realign.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { onceAfter } from "../../requests/once.ts";
import { getTask } from "../tasks/task-routes.ts";
import { heavy } from "./words-routes.ts";

const PATH = "/tasks/:id/targets/:targetId/realignments";
const tags = ["Words"];
const response = { 200: realignment };
const unknownRealignment = makeUnknownError("realignment");

/** Re-times a gap of edited words: a worker aligns those seconds of the recording again. Free, and without a Task. */
export function addRealignmentRoutes({
  app,
  ports,
}: Api<"blobs" | "realignments" | "tasks" | "words" | "writes">): void {
  app.post(
    PATH,
    {
      config: heavy.config,
      schema: {
        tags,
        summary: "Align an edited gap again",
        description:
          "Answers at once; fetch it until `status` is no longer `processing`, a second or two as a rule. Nothing is saved: the times are for an edit.",
        params: targetParams,
        body: gap,
        response,
      },
    },
    (request, reply) =>
      onceAfter(
        ports,
        { request, reply },
        {
          prepare: async () => {
            const task = await getTask(ports, getCaller(request), request.params.id);
            return await prepareRealignment(ports, task, { ...request.params, gap: request.body });
          },
          write: async ({ realignments }, prepared) => {
            const inserted = await realignments.insertRealignment(prepared);
            if (!inserted) throw makeTooManyError();
            return toRealignment(inserted);
          },
        },
      ),
  );

  app.get(
    `${PATH}/:realignmentId`,
    { schema: { tags, summary: "Get a realignment", params: realignmentParams, response } },
    async (request) => {
      const { id, targetId, realignmentId } = request.params;
      const { id: foundId } = getTextTarget(await getTask(ports, getCaller(request), id), targetId);
      const find = (wanted: string) => ports.realignments.findRealignment(foundId, wanted);
      return toRealignment(await getFound(realignmentId, find, unknownRealignment));
    },
  );

  app.delete(
    `${PATH}/:realignmentId`,
    {
      schema: {
        tags,
        summary: "Cancel a realignment",
        params: realignmentParams,
        response: { 200: z.object({ id: z.string() }) },
      },
    },
    async (request) => {
      const { id, targetId, realignmentId } = request.params;
      const { id: foundId } = getTextTarget(await getTask(ports, getCaller(request), id), targetId);
      const remove = (wanted: string) => ports.realignments.deleteRealignment(foundId, wanted);
      await getFound(realignmentId, remove, unknownRealignment);
      return { id: realignmentId };
    },
  );
}
