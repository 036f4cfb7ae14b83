import {
  ApiError,
  accountOptions,
  invitationAcceptance,
  invitationLookup,
  linkSignInRequest,
  me,
  receivedInvitation,
  signedOut,
  signInRequest,
} from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptInvitation, getReceivedInvitation } from "../../../domain/accounts/accept-invitation.ts";
import { toMe, toReceivedInvitation } from "../../../domain/accounts/person-record.ts";
import { type OpenedSession, signInWithLink, signInWithPassword } from "../../../domain/accounts/sign-in.ts";
import { findSessionToken, isFromOtherSite } from "../../access/cookies.ts";
import {
  clearSessionCookie,
  endSession,
  findBrowserToken,
  setSignedInCookies,
  toVisitor,
} from "../../access/signed-in.ts";
import type { Api } from "../../api.ts";

const tags = ["Account"];
const config = { isPublic: true };

export function addSignInRoutes(
  api: Api<"admission" | "identityProvider" | "passwords" | "people" | "sessions" | "vault">,
): void {
  const { app, ports, publicBaseUrl } = api;
  const { people } = ports;

  const answer = async (request: FastifyRequest, reply: FastifyReply, opened: OpenedSession) => {
    await endSession(ports, request);
    await setSignedInCookies({ request, reply, baseUrl: publicBaseUrl(), vault: ports.vault }, opened);
    return toMe(opened.person, opened.session);
  };

  app.get(
    "/account/options",
    {
      config,
      schema: { tags, summary: "Get the sign-in methods", response: { 200: accountOptions } },
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
    "/account/invitations/lookup",
    {
      config,
      schema: {
        tags,
        summary: "Get an invitation by its link",
        description: "To be shown to the person before they accept.",
        body: invitationLookup,
        response: { 200: receivedInvitation },
      },
    },
    async (request) => toReceivedInvitation(await getReceivedInvitation(people, request.body.token)),
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
      // The header is left out by some clients; what it protects from is a page of another site.
      if (findSessionToken(request) === undefined && isFromOtherSite(request, publicBaseUrl()))
        throw new ApiError("PERSON_REQUIRED", "Sign out at the dashboard; another site's page can't do that");
      await endSession(ports, request);
      clearSessionCookie(request, reply, publicBaseUrl());
      return { signedOut: true as const };
    },
  );
}
