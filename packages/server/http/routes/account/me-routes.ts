import { me, meChange } from "@stemwright/contract";
import { changeSelf, getSelf } from "../../../domain/accounts/manage-people.ts";
import { toMe } from "../../../domain/accounts/person-record.ts";
import { getPerson, setSignedInCookies, toVisitor } from "../../access/signed-in.ts";
import type { Api } from "../../api.ts";

const tags = ["Account"];

export function addMeRoutes({
  app,
  ports,
  publicBaseUrl,
}: Api<"admission" | "passwords" | "people" | "vault">): void {
  app.get(
    "/account/me",
    { schema: { tags, summary: "Get the signed-in person", response: { 200: me } } },
    async (request) => {
      const { person, session } = await getSelf(ports.people, getPerson(request));
      return toMe(person, session);
    },
  );

  app.patch(
    "/account/me",
    {
      schema: {
        tags,
        summary: "Update your profile",
        description: "A new password ends all of the person's sessions but the one in use.",
        body: meChange,
        response: { 200: me },
      },
    },
    async (request, reply) => {
      const { person, session, opened } = await changeSelf(ports, getPerson(request), {
        change: request.body,
        visitor: toVisitor(request),
      });
      const cookies = { request, reply, baseUrl: publicBaseUrl(), vault: ports.vault };
      if (opened) await setSignedInCookies(cookies, opened);
      return toMe(person, session);
    },
  );
}
