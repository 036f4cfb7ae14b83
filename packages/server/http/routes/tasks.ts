import {
  ApiError,
  idempotencyHeaders,
  idParams,
  pageQuery,
  type Task,
  task,
  taskEstimate,
  taskListItem,
  taskRequest,
} from "@stemwright/contract";
import { z } from "zod";
import type { Caller } from "../../domain/caller.ts";
import { answerOnce } from "../../domain/idempotency.ts";
import { isId } from "../../domain/ids.ts";
import type { TaskStore } from "../../domain/ports.ts";
import { createTask } from "../../domain/tasks/create-task.ts";
import { estimateTask } from "../../domain/tasks/estimate-task.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import { toTask } from "../../domain/tasks/task-view.ts";
import type { Api } from "../api.ts";
import { getCaller } from "../authenticate.ts";

const unknownTask = () => new ApiError("NOT_FOUND", "The account has no Task of that id");

export async function getTask(ports: { tasks: TaskStore }, caller: Caller, id: string): Promise<TaskRecord> {
  const found = isId(id) ? await ports.tasks.findTask(caller.clientId, id) : undefined;
  if (!found) throw unknownTask();
  return found;
}

export function addTaskRoutes({ app, ports, links }: Api): void {
  const tags = ["Tasks"];

  app.post(
    "/tasks",
    {
      schema: {
        tags,
        summary: "Create a Task",
        headers: idempotencyHeaders,
        body: taskRequest,
        response: { 200: task },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const caller = getCaller(request);
      const key = request.headers["idempotency-key"];
      if (key === undefined) return toTask(await createTask(ports, caller, body), links);
      const toAnswer = (made: TaskRecord) => JSON.stringify(toTask(made, links));
      const { answer, isReplay } = await answerOnce(
        ports.receipts,
        { clientId: caller.clientId, key, route: "POST /tasks", body },
        async (receipt) => toTask(await createTask(ports, caller, body, { ...receipt, toAnswer }), links),
      );
      if (isReplay) void reply.header("idempotency-replayed", "true");
      return answer as Task;
    },
  );

  app.post(
    "/tasks/estimate",
    {
      schema: {
        tags,
        summary: "Tell what a Task would cost",
        description: "The same body and the same checks as for creating it; nothing runs.",
        body: taskRequest,
        response: { 200: taskEstimate },
      },
    },
    async (request) => await estimateTask(ports, getCaller(request), request.body),
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
    async (request) => {
      const { id } = request.params;
      const cancelled = isId(id) ? await ports.tasks.cancelTask(getCaller(request).clientId, id) : undefined;
      if (!cancelled) throw unknownTask();
      return toTask(cancelled, links);
    },
  );

  app.get(
    "/tasks",
    {
      schema: {
        tags,
        summary: "List Tasks, newest first",
        querystring: pageQuery,
        response: { 200: z.array(taskListItem) },
      },
    },
    async (request, reply) => {
      const { items, total } = await ports.tasks.listTasks(getCaller(request).clientId, request.query);
      void reply.header("x-total-count", total);
      return items.map((item) => toTask(item, links));
    },
  );

  app.get(
    "/tasks/:id",
    { schema: { tags, summary: "Get a Task", params: idParams, response: { 200: task } } },
    async (request) => toTask(await getTask(ports, getCaller(request), request.params.id), links),
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
      const outputs = isId(id) ? await ports.tasks.deleteTask(getCaller(request).clientId, id) : undefined;
      if (!outputs) throw unknownTask();
      await ports.blobs.delete(`outputs/${id}`);
      return { id };
    },
  );
}
