import {
  accountOptions,
  invitationAcceptance,
  linkSignInRequest,
  me,
  signedOut,
  signInRequest,
} from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { toMe } from "../../../domain/accounts/person-record.ts";
import {
  acceptInvitation,
  type OpenedSession,
  signInWithLink,
  signInWithPassword,
} from "../../../domain/accounts/sign-in.ts";
import { findSessionToken } from "../../access/cookies.ts";
import {
  clearSessionCookie,
  findBrowserToken,
  setSignedInCookies,
  toVisitor,
} from "../../access/signed-in.ts";
import type { Api } from "../../api.ts";

const tags = ["Account"];
const config = { isPublic: true };

/** Revokes the browser's previous session, so that its token is useless even to somebody who has a copy. */
async function endSession(
  { ports }: Pick<Api<"people" | "sessions">, "ports">,
  request: FastifyRequest,
): Promise<void> {
  const token = findSessionToken(request);
  const caller = token === undefined ? undefined : await ports.sessions.findCaller(token);
  if (caller?.person) await ports.people.deleteSession(caller.person.id, caller.person.sessionId);
}

export function addSignInRoutes(
  api: Api<"identityProvider" | "passwords" | "people" | "sessions" | "vault">,
): void {
  const { app, ports, publicBaseUrl } = api;
  const { people } = ports;

  const answer = async (request: FastifyRequest, reply: FastifyReply, opened: OpenedSession) => {
    await endSession(api, request);
    await setSignedInCookies({ request, reply, baseUrl: publicBaseUrl(), vault: ports.vault }, opened);
    return toMe(opened.person, opened.session);
  };

  app.get(
    "/account/options",
    {
      config,
      schema: { tags, summary: "How people can sign in here", response: { 200: accountOptions } },
    },
    async () => ({
      hasPeople: await people.hasPeople(),
      oidc: ports.identityProvider ? { name: ports.identityProvider.name } : null,
    }),
  );

  app.post(
    "/account/sign-in",
    {
      config,
      schema: {
        tags,
        summary: "Sign in with email address and password",
        description: "Sets the cookie of the dashboard's session.",
        body: signInRequest,
        response: { 200: me },
      },
    },
    async (request, reply) =>
      await answer(
        request,
        reply,
        await signInWithPassword(ports, request.body, {
          visitor: toVisitor(request),
          findBrowserToken: (personId) => findBrowserToken(request, personId),
        }),
      ),
  );

  app.post(
    "/account/sign-in/link",
    {
      config,
      schema: {
        tags,
        summary: "Sign in with a one-time link",
        description: "The token of the link that the first start and `npm run sign-in` print.",
        body: linkSignInRequest,
        response: { 200: me },
      },
    },
    async (request, reply) =>
      await answer(request, reply, await signInWithLink(people, request.body.token, toVisitor(request))),
  );

  app.post(
    "/account/invitations/accept",
    {
      config,
      schema: { tags, summary: "Accept an invitation", body: invitationAcceptance, response: { 200: me } },
    },
    async (request, reply) =>
      await answer(request, reply, await acceptInvitation(ports, request.body, toVisitor(request))),
  );

  app.post(
    "/account/sign-out",
    { config, schema: { tags, summary: "Sign out", response: { 200: signedOut } } },
    async (request, reply) => {
      await endSession(api, request);
      clearSessionCookie(request, reply, publicBaseUrl());
      return { signedOut: true as const };
    },
  );
}
