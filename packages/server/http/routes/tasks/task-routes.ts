import { idParams, task, taskEstimate, taskListItem, taskListQuery, taskRequest } from "@stemwright/contract";
import { z } from "zod";
import type { Caller } from "../../../domain/accounts/caller.ts";
import { getFound, makeUnknownError } from "../../../domain/get-found.ts";
import type { TaskStore } from "../../../domain/ports.ts";
import { type CheckPorts, insertPreparedTask, prepareTask } from "../../../domain/tasks/create-task.ts";
import { deleteTask } from "../../../domain/tasks/delete-task.ts";
import { estimateTask } from "../../../domain/tasks/estimate-task.ts";
import type { TaskRecord } from "../../../domain/tasks/task-record.ts";
import { toTask } from "../../../domain/tasks/task-view.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { onceAfter, onceHarmless } from "../../requests/once.ts";

const unknownTask = makeUnknownError("Task");

export const getTask = (ports: { tasks: TaskStore }, { clientId }: Caller, id: string): Promise<TaskRecord> =>
  getFound(id, () => ports.tasks.findTask(clientId, id), unknownTask);

export function addTaskRoutes({
  app,
  ports,
  links,
  outputLinks,
}: Api<keyof CheckPorts | "blobs" | "stemCache" | "tasks" | "unclaimed" | "writes">): void {
  const tags = ["Tasks"];

  app.post(
    "/tasks",
    {
      schema: {
        tags,
        summary: "Create a Task",
        body: taskRequest,
        response: { 200: task },
      },
    },
    (request, reply) =>
      onceAfter(
        ports,
        { request, reply },
        {
          prepare: () => prepareTask(ports, getCaller(request), request.body),
          write: async ({ tasks }, prepared) => toTask(await insertPreparedTask(tasks, prepared), links),
        },
      ),
  );

  app.post(
    "/tasks/estimate",
    {
      schema: {
        tags,
        summary: "Estimate the cost of a Task",
        description: "Same body and validation as for creating it; nothing runs.",
        body: taskRequest,
        response: { 200: taskEstimate },
      },
    },
    (request, reply) =>
      onceHarmless(ports, { request, reply }, () => estimateTask(ports, getCaller(request), request.body)),
  );

  app.post(
    "/tasks/:id/cancel",
    {
      schema: {
        tags,
        summary: "Cancel a Task",
        description: "Unfinished targets end with the error 4001 and cost nothing; finished ones stay.",
        params: idParams,
        response: { 200: task },
      },
    },
    (request, reply) =>
      onceHarmless(ports, { request, reply }, async () => {
        const { clientId } = getCaller(request);
        const cancel = (id: string) => ports.tasks.cancelTask(clientId, id);
        const cancelled = await getFound(request.params.id, cancel, unknownTask);
        return toTask(cancelled, await outputLinks.prepare([cancelled]));
      }),
  );

  app.get(
    "/tasks",
    {
      schema: {
        tags,
        summary: "List Tasks, newest first",
        querystring: taskListQuery,
        response: { 200: z.array(taskListItem) },
      },
    },
    async (request, reply) => {
      const { items, total } = await ports.tasks.listTasks(getCaller(request).clientId, request.query);
      void reply.header("x-total-count", total);
      const signer = await outputLinks.prepare(items);
      return items.map((item) => toTask(item, signer));
    },
  );

  app.get(
    "/tasks/:id",
    { schema: { tags, summary: "Get a Task", params: idParams, response: { 200: task } } },
    async (request) => {
      const found = await getTask(ports, getCaller(request), request.params.id);
      return toTask(found, await outputLinks.prepare([found]));
    },
  );

  app.delete(
    "/tasks/:id",
    {
      schema: {
        tags,
        summary: "Delete a Task and its files",
        params: idParams,
        response: { 200: z.object({ id: z.string() }) },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { clientId } = getCaller(request);
      await getFound(id, () => deleteTask(ports, clientId, id), unknownTask);
      return { id };
    },
  );
}
