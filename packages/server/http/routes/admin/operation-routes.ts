import { queueState, serviceHealth, worker } from "@stemwright/contract";
import { z } from "zod";
import type { Api } from "../../api.ts";

export function addOperationRoutes({ app, ports }: Api<"operation">): void {
  const { operation } = ports;
  const config = { isAdmin: true };
  const tags = ["Administration"];

  app.get(
    "/admin/workers",
    { config, schema: { tags, summary: "List the workers", response: { 200: z.array(worker) } } },
    () => operation.listWorkers(),
  );

  app.get(
    "/admin/queue",
    {
      config,
      schema: {
        tags,
        summary: "Get queue statistics",
        response: { 200: z.array(queueState) },
      },
    },
    () => operation.readQueues(),
  );

  app.get(
    "/admin/health",
    {
      config,
      schema: { tags, summary: "Get the service's health", response: { 200: serviceHealth } },
    },
    () => operation.checkHealth(),
  );
}
