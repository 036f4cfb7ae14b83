import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** An account at the provider. */
export type TestIdentity = { sub: string; email: string; email_verified: boolean; name: string };

export type TestIdentityProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Changes who is signed in there. */
  become(identity: TestIdentity): void;
  /** Follows a browser through the provider, from the URL it was sent to, to the one it is sent back to. */
  follow(url: string): Promise<string>;
  close(): Promise<void>;
};

const CLIENT = { clientId: "stemwright", clientSecret: "a-secret-of-the-tests-that-is-long" };

/** A real OpenID provider (`oidc-provider`) where sign-in and consent are automatic. */
export async function startIdentityProvider(redirectUrls: () => string[]): Promise<TestIdentityProvider> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let identity: TestIdentity = { sub: "nobody", email: "", email_verified: false, name: "" };

  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: redirectUrls(),
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    ttl: { Interaction: 60, Session: 60, Grant: 60, AccessToken: 60, IdToken: 60 },
    cookies: { keys: ["a key of the tests"] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...identity, sub }) }),
  });
  provider.use(async (context, next) => {
    if (!context.path.startsWith("/interaction/")) return await next();
    const { prompt, params } = await provider.interactionDetails(context.req, context.res);
    const grant = new provider.Grant({ accountId: identity.sub, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    const result =
      prompt.name === "login"
        ? { login: { accountId: identity.sub } }
        : { consent: { grantId: await grant.save() } };
    context.respond = false;
    await provider.interactionFinished(context.req, context.res, result, { mergeWithLastSubmission: true });
  });
  server.on("request", provider.callback());

  return {
    issuer,
    ...CLIENT,
    become: (next) => {
      identity = next;
    },
    follow: (url) => followRedirects(url, issuer),
    close: () => closeServer(server),
  };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}

/** Keeps the provider's cookies while it redirects to itself. */
async function followRedirects(start: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  while (url.startsWith(issuer)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
  }
  return url;
}
