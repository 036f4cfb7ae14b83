import { z } from "zod";
import type { Api } from "../../api.ts";

export function addHealthRoutes({ app, ports }: Api<"readiness">): void {
  const response = { 200: z.object({ status: z.literal("ok") }) };
  const shared = { config: { isPublic: true, isHealth: true } };
  const tags = ["Health"];

  app.get(
    "/health/live",
    { ...shared, schema: { tags, summary: "Liveness", security: [{}], response } },
    async () => ({ status: "ok" as const }),
  );

  app.get(
    "/health/ready",
    { ...shared, schema: { tags, summary: "Readiness", security: [{}], response } },
    async () => {
      const fault = await ports.readiness.findFault();
      if (fault) throw fault;
      return { status: "ok" as const };
    },
  );
}
