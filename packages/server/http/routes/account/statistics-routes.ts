import { distributionRow, statisticsQuery, usageRow } from "@stemwright/contract";
import { z } from "zod";
import { findFirstMonth } from "../../../domain/find-first-month.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";

export function addStatisticsRoutes({ app, ports }: Api<"statistics">): void {
  app.get(
    "/tasks/statistics",
    {
      schema: {
        tags: ["Statistics"],
        summary: "Get usage statistics",
        description:
          "`usage` has a row a month, newest first; `distribution` a row a model, most used first.",
        querystring: statisticsQuery,
        response: { 200: z.union([z.array(usageRow), z.array(distributionRow)]) },
      },
    },
    async (request) => {
      const { clientId } = getCaller(request);
      const { name, months } = request.query;
      const since = months === undefined ? undefined : findFirstMonth(months, new Date());
      return name === "usage"
        ? await ports.statistics.listUsage(clientId, since)
        : await ports.statistics.listDistribution(clientId, since);
    },
  );
}
