import { idParams, personSession } from "@stemwright/contract";
import { z } from "zod";
import { toPersonSession } from "../../../domain/accounts/person-record.ts";
import { getFound, makeUnknownError } from "../../../domain/get-found.ts";
import { getPerson } from "../../access/signed-in.ts";
import type { Api } from "../../api.ts";

const tags = ["Account"];

export function addSessionRoutes({ app, ports }: Api<"people">): void {
  const { people } = ports;

  app.get(
    "/account/sessions",
    {
      schema: { tags, summary: "List your sessions", response: { 200: z.array(personSession) } },
    },
    async (request) => {
      const { id, sessionId } = getPerson(request);
      return (await people.listSessions(id)).map((session) => toPersonSession(session, sessionId));
    },
  );

  app.delete(
    "/account/sessions/:id",
    {
      schema: {
        tags,
        summary: "End a session",
        params: idParams,
        response: { 200: personSession },
      },
    },
    async (request) => {
      const { id, sessionId } = getPerson(request);
      const end = (known: string) => people.deleteSession(id, known);
      return toPersonSession(await getFound(request.params.id, end, makeUnknownError("session")), sessionId);
    },
  );
}
