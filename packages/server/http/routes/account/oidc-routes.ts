import { ApiError, type ApiErrorCode, invitationLookup, providerRedirect } from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { getReceivedInvitation } from "../../../domain/accounts/accept-invitation.ts";
import {
  findOrAdmitPerson,
  type IdentityFlow,
  IdentityKnown,
  IdentityNotConnected,
} from "../../../domain/accounts/identity.ts";
import { openSession } from "../../../domain/accounts/sign-in.ts";
import { findCookie, makeCookie, SESSION_COOKIE } from "../../access/cookies.ts";
import { endSession, setSignedInCookies, toVisitor } from "../../access/signed-in.ts";
import type { Api, IdentityProvider } from "../../api.ts";
import { isForClient } from "../../errors/error-mapper.ts";

const FLOW_COOKIE = "stemwright_oidc";
const FLOW_PATH = "/account/oidc";
const FLOW_SECONDS = 600;
const CALLBACK_PATH = `${FLOW_PATH}/callback`;
const SEAL_CONTEXT = "oidc flow";

type FlowStart = { request: FastifyRequest; reply: FastifyReply; invitationToken?: string };
type StoredFlow = IdentityFlow & { expiresAtMs: number; invitationToken?: string | undefined };

/** Error names that the sign-in page translates into sentences. */
type Problem = "provider" | "refused" | "unconnected" | "known" | "suspended" | "reserved" | "invitation";

const PROBLEMS: Partial<Record<ApiErrorCode, Problem>> = {
  CLIENT_SUSPENDED: "suspended",
  EMAIL_RESERVED: "reserved",
  INVITATION_INVALID: "invitation",
};
const findProblem = (error: unknown): Problem => {
  if (!isForClient(error)) return "provider";
  if (error instanceof IdentityNotConnected) return "unconnected";
  if (error instanceof IdentityKnown) return "known";
  return PROBLEMS[error.code] ?? "refused";
};

/** What browsers are redirected through is hidden from /openapi.json. */
export function addOidcRoutes({
  app,
  ports,
  publicBaseUrl,
}: Api<"admission" | "identityProvider" | "people" | "sessions" | "vault">): void {
  const { vault, people, admission, identityProvider: provider } = ports;
  const options = { config: { isPublic: true }, schema: { hide: true } };

  const setFlow = (request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number) =>
    reply.header(
      "set-cookie",
      makeCookie(request, {
        name: FLOW_COOKIE,
        value,
        maxAgeSeconds,
        baseUrl: publicBaseUrl(),
        path: FLOW_PATH,
      }),
    );
  const sendBack = (request: FastifyRequest, reply: FastifyReply, error: unknown) => {
    request.log.warn({ err: error }, "sign-in through the identity provider failed");
    return reply.redirect(`${publicBaseUrl()}/app/sign-in?problem=${findProblem(error)}`);
  };
  const loadFlow = async (request: FastifyRequest): Promise<StoredFlow> => {
    const cookie = findCookie(request, FLOW_COOKIE);
    if (cookie === undefined) throw new Error("no sign-in was begun in this browser");
    const flow = JSON.parse(await vault.unseal(Buffer.from(cookie, "base64url"), SEAL_CONTEXT)) as StoredFlow;
    if (flow.expiresAtMs < Date.now()) throw new Error("the sign-in took longer than ten minutes");
    return flow;
  };

  /** A browser that follows a redirect sends no header of ours; the flow's cookie proves that it began in this browser. */
  const findSignedInId = async (request: FastifyRequest) => {
    const token = findCookie(request, SESSION_COOKIE);
    return token === undefined ? undefined : (await ports.sessions.findCaller(token))?.person?.id;
  };

  /** Returns the provider's URL to go to. */
  const startFlow = async (
    from: IdentityProvider,
    { request, reply, invitationToken }: FlowStart,
  ): Promise<string> => {
    const { url, flow } = await from.start(publicBaseUrl() + CALLBACK_PATH);
    const stored: StoredFlow = { ...flow, invitationToken, expiresAtMs: Date.now() + FLOW_SECONDS * 1000 };
    const sealed = await vault.seal(JSON.stringify(stored), SEAL_CONTEXT);
    setFlow(request, reply, sealed.toString("base64url"), FLOW_SECONDS);
    return url;
  };

  // A POST with a body, so that no other page can make a browser accept, and the token is in no log.
  app.post(
    "/account/invitations/accept/provider",
    {
      config: options.config,
      schema: {
        tags: ["Account"],
        summary: "Accept an invitation with the identity provider",
        description: "Accepted once the person has signed in at `url`, in the same browser.",
        body: invitationLookup,
        response: { 200: providerRedirect },
      },
    },
    async (request, reply) => {
      const { token } = request.body;
      await getReceivedInvitation(people, token);
      if (!provider)
        throw new ApiError("NOT_FOUND", "No identity provider is set up here; accept with a password");
      return { url: await startFlow(provider, { request, reply, invitationToken: token }) };
    },
  );
  if (!provider) return;

  app.get(`${FLOW_PATH}/start`, options, async (request, reply) => {
    try {
      return reply.redirect(await startFlow(provider, { request, reply }));
    } catch (error) {
      return sendBack(request, reply, error);
    }
  });

  app.get(CALLBACK_PATH, options, async (request, reply) => {
    setFlow(request, reply, "", 0);
    try {
      const flow = await loadFlow(request);
      // The URL as the browser and the provider know it, before any proxy rewrote it.
      const query = request.url.includes("?") ? request.url.slice(request.url.indexOf("?")) : "";
      const identity = await provider.finish(new URL(publicBaseUrl() + CALLBACK_PATH + query), flow);
      const person = await findOrAdmitPerson({ people, admission }, identity, {
        signedInId: await findSignedInId(request),
        invitationToken: flow.invitationToken,
      });
      const opened = await openSession(people, person, { method: "oidc", visitor: toVisitor(request) });
      await endSession(ports, request);
      await setSignedInCookies({ request, reply, baseUrl: publicBaseUrl(), vault }, opened);
      return reply.redirect(`${publicBaseUrl()}/app`);
    } catch (error) {
      return sendBack(request, reply, error);
    }
  });
}
