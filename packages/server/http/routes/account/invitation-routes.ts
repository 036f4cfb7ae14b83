import { idParams, invitation, invitationRequest, newInvitation } from "@stemwright/contract";
import { z } from "zod";
import { checkOwner, invite } from "../../../domain/accounts/manage-people.ts";
import { toInvitation } from "../../../domain/accounts/person-record.ts";
import { getFound, makeUnknownError } from "../../../domain/get-found.ts";
import { getManager } from "../../access/signed-in.ts";
import type { Api } from "../../api.ts";
import { once } from "../../requests/once.ts";

const tags = ["Account"];

export function addInvitationRoutes({
  app,
  ports,
  publicBaseUrl,
}: Api<"admission" | "people" | "writes">): void {
  const { admission, people } = ports;

  app.post(
    "/account/invitations",
    {
      schema: {
        tags,
        summary: "Invite a person",
        description: "For owners. Whoever opens `url` within seven days can join, once; it is returned once.",
        body: invitationRequest,
        response: { 200: newInvitation },
      },
    },
    (request, reply) => {
      const caller = getManager(request);
      checkOwner(caller);
      return once(ports, { request, reply }, (stores) =>
        invite({ people: stores.people, admission }, caller, {
          request: request.body,
          baseUrl: publicBaseUrl(),
        }),
      );
    },
  );

  app.get(
    "/account/invitations",
    { schema: { tags, summary: "List open invitations", response: { 200: z.array(invitation) } } },
    async (request) => (await people.listInvitations(getManager(request).clientId)).map(toInvitation),
  );

  app.delete(
    "/account/invitations/:id",
    {
      schema: {
        tags,
        summary: "Revoke an invitation",
        params: idParams,
        response: { 200: invitation },
      },
    },
    async (request) => {
      const caller = getManager(request);
      checkOwner(caller);
      const withdraw = (id: string) => people.deleteInvitation(caller.clientId, id);
      return toInvitation(await getFound(request.params.id, withdraw, makeUnknownError("invitation")));
    },
  );
}
