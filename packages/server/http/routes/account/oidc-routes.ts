import type { FastifyReply, FastifyRequest } from "fastify";
import {
  findOrAdmitPerson,
  type IdentityFlow,
  IdentityNotConnected,
} from "../../../domain/accounts/identity.ts";
import { openSession } from "../../../domain/accounts/sign-in.ts";
import { findCookie, makeCookie, SESSION_COOKIE } from "../../access/cookies.ts";
import { endSession, setSignedInCookies, toVisitor } from "../../access/signed-in.ts";
import type { Api } from "../../api.ts";
import { isForClient } from "../../errors/error-mapper.ts";

const FLOW_COOKIE = "stemwright_oidc";
const FLOW_PATH = "/account/oidc";
const FLOW_SECONDS = 600;
const CALLBACK_PATH = `${FLOW_PATH}/callback`;
const SEAL_CONTEXT = "oidc flow";

type StoredFlow = IdentityFlow & { expiresAtMs: number };

/** Error names that the sign-in page translates into sentences. */
type Problem = "provider" | "refused" | "unconnected" | "suspended";

const findProblem = (error: unknown): Problem => {
  if (!isForClient(error)) return "provider";
  if (error instanceof IdentityNotConnected) return "unconnected";
  return error.code === "CLIENT_SUSPENDED" ? "suspended" : "refused";
};

/** Redirects for browsers, therefore hidden from /openapi.json. */
export function addOidcRoutes({
  app,
  ports,
  publicBaseUrl,
}: Api<"admission" | "identityProvider" | "people" | "sessions" | "vault">): void {
  const provider = ports.identityProvider;
  if (!provider) return;
  const { vault, people } = ports;
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

  app.get(`${FLOW_PATH}/start`, options, async (request, reply) => {
    try {
      const { url, flow } = await provider.start(publicBaseUrl() + CALLBACK_PATH);
      const stored: StoredFlow = { ...flow, expiresAtMs: Date.now() + FLOW_SECONDS * 1000 };
      const sealed = await vault.seal(JSON.stringify(stored), SEAL_CONTEXT);
      setFlow(request, reply, sealed.toString("base64url"), FLOW_SECONDS);
      return reply.redirect(url);
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
      const signedInId = await findSignedInId(request);
      const person = await findOrAdmitPerson({ people, ...ports.admission }, identity, signedInId);
      const opened = await openSession(people, person, { method: "oidc", visitor: toVisitor(request) });
      await endSession(ports, request);
      await setSignedInCookies({ request, reply, baseUrl: publicBaseUrl(), vault }, opened);
      return reply.redirect(`${publicBaseUrl()}/app`);
    } catch (error) {
      return sendBack(request, reply, error);
    }
  });
}
