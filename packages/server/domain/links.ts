import { createHmac, timingSafeEqual } from "node:crypto";

export const LINK_LIFETIME_SECONDS = 3600;
const FILES_PATH = "/files/";

export interface LinkSigner {
  sign(blobKey: string): string;
}

/**
 * Makes and checks download links: `<base>/files/<blob key>?Expires=<unix seconds>&Signature=<hex>`.
 * The signature covers path and expiry; no key is needed to follow one.
 */
export function makeLinks(options: { secret: Buffer; baseUrl: () => string; nowMs?: () => number }) {
  const nowSeconds = () => Math.floor((options.nowMs?.() ?? Date.now()) / 1000);
  const signatureOf = (path: string, expires: string) =>
    createHmac("sha256", options.secret).update(`${path}\n${expires}`).digest("hex");

  function isValid(
    path: string,
    query: { Expires?: string | undefined; Signature?: string | undefined },
    atSeconds = nowSeconds(),
  ): boolean {
    const { Expires = "", Signature = "" } = query;
    if (!/^\d{1,12}$/.test(Expires) || Number(Expires) < atSeconds) return false;
    const expected = Buffer.from(signatureOf(path, Expires));
    const given = Buffer.from(Signature);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  return {
    sign(blobKey: string): string {
      const path = FILES_PATH + blobKey.split("/").map(encodeURIComponent).join("/");
      const expires = String(nowSeconds() + LINK_LIFETIME_SECONDS);
      return `${options.baseUrl()}${path}?Expires=${expires}&Signature=${signatureOf(path, expires)}`;
    },
    isValid,
    /** The blob behind one of our own links, when it is given back to us as an input, good at the time it was given. */
    findBlobKey(url: string, givenAt?: Date): string | undefined {
      const base = options.baseUrl();
      if (!url.startsWith(`${base}${FILES_PATH}`)) return undefined;
      // Behind a proxy the base may have a path of its own, which no signature covers.
      const { pathname, searchParams } = new URL(url.slice(base.length), base);
      const query = {
        Expires: searchParams.get("Expires") ?? undefined,
        Signature: searchParams.get("Signature") ?? undefined,
      };
      const atSeconds = givenAt && Math.floor(givenAt.getTime() / 1000);
      return isValid(pathname, query, atSeconds)
        ? decodeURIComponent(pathname.slice(FILES_PATH.length))
        : undefined;
    },
  };
}
export type Links = ReturnType<typeof makeLinks>;
