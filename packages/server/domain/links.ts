import { createHmac, timingSafeEqual } from "node:crypto";
import type { ExportFile } from "@stemwright/contract";

export const LINK_LIFETIME_SECONDS = 3600;
const FILES_PATH = "/files/";

export interface LinkSigner {
  sign(blobKey: string): string;
}

/**
 * Makes and checks download links: `<base>/files/<blob key>?Expires=<unix seconds>&Signature=<hex>`. The signature covers path and expiry; following one
 * needs no key.
 */
export function makeLinks(options: { secret: Buffer; baseUrl: () => string; nowMs?: () => number }) {
  const nowSeconds = () => Math.floor((options.nowMs?.() ?? Date.now()) / 1000);
  const signatureOf = (path: string, expires: string) =>
    createHmac("sha256", options.secret).update(`${path}\n${expires}`).digest("hex");

  function isValid(
    path: string,
    query: { Expires?: string | undefined; Signature?: string | undefined },
  ): boolean {
    const { Expires = "", Signature = "" } = query;
    if (!/^\d{1,12}$/.test(Expires) || Number(Expires) < nowSeconds()) return false;
    const expected = Buffer.from(signatureOf(path, Expires));
    const given = Buffer.from(Signature);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  function signPath(path: string): string {
    const expires = String(nowSeconds() + LINK_LIFETIME_SECONDS);
    return `${options.baseUrl()}${path}?Expires=${expires}&Signature=${signatureOf(path, expires)}`;
  }

  return {
    sign: (blobKey: string) => signPath(FILES_PATH + blobKey.split("/").map(encodeURIComponent).join("/")),
    /** A link to an export that is built from a Task's outputs while it is downloaded. */
    signExport: (taskId: string, file: ExportFile) => signPath(`/exports/${taskId}/${file}`),
    isValid,
    /**
     * The blob behind one of our own links, when a client passes it as an input. Recognised by path and signature, which nobody else can make: the service
     * may be reached by several host names, none of which a process needs to know.
     */
    findBlobKey(url: string): string | undefined {
      const parsed = URL.parse(url);
      if (!parsed) return undefined;
      const query = {
        Expires: parsed.searchParams.get("Expires") ?? undefined,
        Signature: parsed.searchParams.get("Signature") ?? undefined,
      };
      // A proxy may add a path prefix, which the signature does not cover.
      const { pathname } = parsed;
      for (let at = pathname.indexOf(FILES_PATH); at >= 0; at = pathname.indexOf(FILES_PATH, at + 1)) {
        const path = pathname.slice(at);
        if (isValid(path, query)) return decodeURIComponent(path.slice(FILES_PATH.length));
      }
      return undefined;
    },
  };
}
export type Links = ReturnType<typeof makeLinks>;
