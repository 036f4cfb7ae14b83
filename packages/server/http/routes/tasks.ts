import { ApiError, idParams, pageQuery, task, taskListItem, taskRequest } from "@stemwright/contract";
import { z } from "zod";
import { isId } from "../../domain/ids.ts";
import { createTask } from "../../domain/tasks/create-task.ts";
import { toTask } from "../../domain/tasks/task-view.ts";
import type { Api } from "../api.ts";
import { getCaller } from "../authenticate.ts";

const unknownTask = () => new ApiError("NOT_FOUND", "The account has no Task of that id");

export function addTaskRoutes({ app, ports, outputLinks }: Api): void {
  const tags = ["Tasks"];

  app.post(
    "/tasks",
    { schema: { tags, summary: "Create a Task", body: taskRequest, response: { 200: task } } },
    async (request) => toTask(await createTask(ports, getCaller(request), request.body), outputLinks),
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
      return await Promise.all(items.map((item) => toTask(item, outputLinks)));
    },
  );

  app.get(
    "/tasks/:id",
    { schema: { tags, summary: "Get a Task", params: idParams, response: { 200: task } } },
    async (request) => {
      const { id } = request.params;
      const found = isId(id) ? await ports.tasks.findTask(getCaller(request).clientId, id) : undefined;
      if (!found) throw unknownTask();
      return await toTask(found, outputLinks);
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
      const outputs = isId(id) ? await ports.tasks.deleteTask(getCaller(request).clientId, id) : undefined;
      if (!outputs) throw unknownTask();
      await ports.blobs.delete(`outputs/${id}`);
      return { id };
    },
  );
}
