import { idParams, person, personChange } from "@stemwright/contract";
import { z } from "zod";
import { changeRole, removePerson } from "../../../domain/accounts/manage-people.ts";
import { toPerson } from "../../../domain/accounts/person-record.ts";
import { getManager } from "../../access/signed-in.ts";
import type { Api } from "../../api.ts";

const tags = ["Account"];

export function addPeopleRoutes({ app, ports }: Api<"people">): void {
  const { people } = ports;

  app.get(
    "/account/people",
    { schema: { tags, summary: "List the people of the account", response: { 200: z.array(person) } } },
    async (request) => (await people.listPeople(getManager(request).clientId)).map(toPerson),
  );

  app.patch(
    "/account/people/:id",
    {
      schema: {
        tags,
        summary: "Update a person's role",
        description: "For owners. The account keeps at least one.",
        params: idParams,
        body: personChange,
        response: { 200: person },
      },
    },
    async (request) => {
      const { id } = request.params;
      return toPerson(await changeRole(people, getManager(request), { id, role: request.body.role }));
    },
  );

  app.delete(
    "/account/people/:id",
    {
      schema: {
        tags,
        summary: "Remove a person",
        description:
          "For owners. All sessions of the person end at once; keys stay, since they are the account's.",
        params: idParams,
        response: { 200: person },
      },
    },
    async (request) => toPerson(await removePerson(people, getManager(request), request.params.id)),
  );
}
