import type { FastifyRequest } from "fastify";

export const SESSION_COOKIE = "stemwright_session";
/** Sent by the dashboard with every request. Another site's page can't send it together with our cookie: CORS never allows credentials. */
export const DASHBOARD_HEADER = "x-stemwright-dashboard";

export function findCookie({ headers }: FastifyRequest, name: string): string | undefined {
  for (const part of (headers.cookie ?? "").split(";")) {
    const [key, value] = part.split("=", 2);
    if (key?.trim() === name && value) return value.trim();
  }
  return undefined;
}

/** The session token, if the dashboard sent the request. */
export const findSessionToken = (request: FastifyRequest) =>
  request.headers[DASHBOARD_HEADER] === undefined ? undefined : findCookie(request, SESSION_COOKIE);

/** Whether another site's page made a browser send this. Programs name no origin. */
export function isFromOtherSite({ headers: { origin }, host }: FastifyRequest, baseUrl: string): boolean {
  if (origin === undefined) return false;
  const { host: named } = URL.canParse(origin) ? new URL(origin) : { host: undefined };
  return named !== host && named !== new URL(baseUrl).host;
}

/** HttpOnly and SameSite; also Secure if the service is reached over https. */
export function makeCookie(
  request: FastifyRequest,
  options: { name: string; value: string; maxAgeSeconds: number; baseUrl: string; path?: string },
): string {
  const { protocol, pathname } = new URL(options.baseUrl);
  const path = pathname.replace(/\/$/, "") + (options.path ?? "");
  const isSecure = protocol === "https:" || request.protocol === "https";
  return [
    `${options.name}=${options.value}`,
    `Path=${path || "/"}`,
    `Max-Age=${options.maxAgeSeconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}
