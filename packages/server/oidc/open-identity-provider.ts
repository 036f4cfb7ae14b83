import { emailAddress } from "@stemwright/contract";
import type { Configuration } from "openid-client";
import type { Config } from "../config/load-config.ts";
import type { Identity, IdentityFlow } from "../domain/accounts/identity.ts";

const SCOPES = "openid email profile";
const TIMEOUT_SECONDS = 10;

type OidcSettings = NonNullable<Config["oidc"]>;

/** Loaded at first use: most installations have no provider. */
const loadClient = () => import("openid-client");

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const client = await loadClient();
  const url = new URL(issuer);
  const authenticate =
    clientSecret === undefined
      ? client.None()
      : (((server, ...rest) => {
          // The default by the specification, if the provider states none.
          const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
          const withSecret = methods.includes("client_secret_basic")
            ? client.ClientSecretBasic(clientSecret)
            : client.ClientSecretPost(clientSecret);
          return withSecret(server, ...rest);
        }) satisfies ReturnType<typeof client.ClientSecretBasic>);
  return await client.discovery(url, clientId, undefined, authenticate, {
    timeout: TIMEOUT_SECONDS,
    // For a provider in one's own network that was configured that way.
    execute: url.protocol === "http:" ? [client.allowInsecureRequests] : [],
  });
}

/** Authorization code flow with PKCE, state and nonce. The provider's configuration is discovered at first use. */
export function openIdentityProvider(settings: OidcSettings) {
  let discovering: Promise<Configuration> | undefined;
  const getConfiguration = () => {
    discovering ??= discover(settings).catch((error: unknown) => {
      discovering = undefined;
      throw error;
    });
    return discovering;
  };

  return {
    name: settings.name,
    async start(redirectUrl: string): Promise<{ url: string; flow: IdentityFlow }> {
      const client = await loadClient();
      const configuration = await getConfiguration();
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl,
        scope: SCOPES,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.codeVerifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, flow };
    },
    async finish(currentUrl: URL, { state, nonce, codeVerifier }: IdentityFlow): Promise<Identity> {
      const client = await loadClient();
      const configuration = await getConfiguration();
      const tokens = await client.authorizationCodeGrant(configuration, currentUrl, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new Error("the identity provider sent no ID token");
      // Many providers return email and name only there.
      const hasAll = claims.email !== undefined && claims.email_verified !== undefined;
      const facts = hasAll
        ? claims
        : { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
      const { email, name } = facts;
      return {
        key: `${claims.iss} ${claims.sub}`,
        email: emailAddress.safeParse(email).data,
        isEmailVerified: facts.email_verified === true,
        name: typeof name === "string" && name !== "" ? name.slice(0, 200) : undefined,
      };
    },
  };
}
