import { createHmac, timingSafeEqual } from "node:crypto";
import type { ExportFile } from "@stemwright/contract";

export const LINK_LIFETIME_SECONDS = 3600;
const FILES_PATH = "/files/";

export interface LinkSigner {
  sign(blobKey: string): string;
}

/** Signs links to outputs and to exports that are built from a Task's outputs while they are downloaded. */
export interface ExportSigner extends LinkSigner {
  signExport(taskId: string, file: ExportFile): string;
}

/** The query of a link; `Share` is the id of the share it was handed out through. */
export type LinkQuery = {
  Expires?: string | undefined;
  Share?: string | undefined;
  Signature?: string | undefined;
};

/**
 * Makes and checks download links: `<base>/files/<blob key>?Expires=<unix seconds>&Signature=<hex>`. The signature covers path, expiry and the share that a
 * link is bound to; following one needs no key.
 */
export function makeLinks(options: { secret: Buffer; baseUrl: () => string; nowMs?: () => number }) {
  const nowSeconds = () => Math.floor((options.nowMs?.() ?? Date.now()) / 1000);
  const signatureOf = (path: string, ...bounds: readonly string[]) =>
    createHmac("sha256", options.secret)
      .update([path, ...bounds].join("\n"))
      .digest("hex");

  /** By itself: whether a link's share is still open is asked elsewhere. */
  function isValid(path: string, { Expires = "", Share, Signature = "" }: LinkQuery): boolean {
    if (!/^\d{1,12}$/.test(Expires) || Number(Expires) < nowSeconds()) return false;
    const bounds = Share === undefined ? [Expires] : [Expires, Share];
    const expected = Buffer.from(signatureOf(path, ...bounds));
    const given = Buffer.from(Signature);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }

  function signPath(path: string, share?: { id: string; expiresAt: Date }): string {
    const expiresSeconds = Math.min(
      nowSeconds() + LINK_LIFETIME_SECONDS,
      share ? Math.floor(share.expiresAt.getTime() / 1000) : Number.POSITIVE_INFINITY,
    );
    const bounds = [String(expiresSeconds), ...(share ? [share.id] : [])];
    const query = new URLSearchParams({
      Expires: String(expiresSeconds),
      ...(share ? { Share: share.id } : {}),
      Signature: signatureOf(path, ...bounds),
    });
    return `${options.baseUrl()}${path}?${query}`;
  }

  const makeSigner = (share?: { id: string; expiresAt: Date }): ExportSigner => ({
    sign: (blobKey) => signPath(FILES_PATH + blobKey.split("/").map(encodeURIComponent).join("/"), share),
    signExport: (taskId, file) => signPath(`/exports/${taskId}/${file}`, share),
  });

  return {
    ...makeSigner(),
    /** Links that end with a share: signed no longer than it lives, and refused once it is revoked. */
    ofShare: makeSigner,
    isValid,
    /**
     * The blob behind one of our own links, when a client passes it as an input. Recognised by path and signature, which nobody else can make: the service
     * may be reached by several host names, none of which a process needs to know. Links of a share are not: they are downloaded like any URL, and only
     * while the share is open.
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
