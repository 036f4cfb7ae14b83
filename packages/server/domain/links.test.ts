import { describe, expect, it } from "vitest";
import { LINK_LIFETIME_SECONDS, makeLinks } from "./links.ts";

const secret = Buffer.alloc(32, 7);
const baseUrl = () => "https://stems.example";
let nowMs = 1_700_000_000_000;
const links = makeLinks({ secret, baseUrl, nowMs: () => nowMs });

const parse = (link: string) => {
  const { pathname, searchParams } = new URL(link);
  return {
    path: pathname,
    query: { Expires: searchParams.get("Expires") ?? "", Signature: searchParams.get("Signature") ?? "" },
  };
};

describe("links", () => {
  const link = links.sign("outputs/task/target/vocals.wav");

  it("[O2] a link is absolute, ends in name and format, and its query has neither dot nor slash", () => {
    const url = new URL(link);
    expect(url.origin).toBe("https://stems.example");
    expect(url.pathname.endsWith("/vocals.wav")).toBe(true);
    expect(url.search).not.toMatch(/[./]/);
    expect(Number(url.searchParams.get("Expires"))).toBe(nowMs / 1000 + LINK_LIFETIME_SECONDS);
  });

  it("[O2] a link is valid for an hour and not a second longer", () => {
    const { path, query } = parse(link);
    expect(links.isValid(path, query)).toBe(true);
    nowMs += LINK_LIFETIME_SECONDS * 1000;
    expect(links.isValid(path, query)).toBe(true);
    nowMs += 1000;
    expect(links.isValid(path, query)).toBe(false);
    nowMs -= (LINK_LIFETIME_SECONDS + 1) * 1000;
  });

  it("[O2] a link whose path, expiry or signature was changed is not valid", () => {
    const { path, query } = parse(link);
    expect(links.isValid(path.replace("vocals", "drums"), query)).toBe(false);
    expect(links.isValid(path, { ...query, Expires: String(Number(query.Expires) + 1) })).toBe(false);
    expect(
      links.isValid(path, {
        ...query,
        Signature: query.Signature.replace(/^./, (c) => (c === "0" ? "1" : "0")),
      }),
    ).toBe(false);
    expect(links.isValid(path, {})).toBe(false);
    expect(makeLinks({ secret: Buffer.alloc(32, 8), baseUrl }).isValid(path, query)).toBe(false);
  });

  it("[O14] a link of a share lasts no longer than the share, and can't be taken from it", () => {
    const signedAt = (secondsLeft: number) =>
      links.ofShare({ id: "share", expiresAt: new Date(nowMs + secondsLeft * 1000 + 999) });
    const lasting = signedAt(100_000).sign("outputs/task/target/vocals.wav");
    expect(new URL(lasting).searchParams.get("Expires")).toBe(String(nowMs / 1000 + LINK_LIFETIME_SECONDS));
    const ending = signedAt(90).signExport("task", "outputs.zip");
    const { path, query } = parse(ending);
    expect(query.Expires).toBe(String(nowMs / 1000 + 90));
    expect(links.isValid(path, { ...query, Share: "share" })).toBe(true);
    for (const Share of [undefined, "", "other", "share\n"])
      expect(links.isValid(path, { ...query, Share })).toBe(false);
    expect(links.isValid(parse(link).path, { ...parse(link).query, Share: "share" })).toBe(false);
    // As an input it would outlive the share.
    expect(links.findBlobKey(lasting)).toBeUndefined();
  });

  it("[T3] our own link is recognised by path and signature, whatever host name it has", () => {
    expect(links.findBlobKey(link)).toBe("outputs/task/target/vocals.wav");
    expect(links.findBlobKey(link.replace("https://stems.example", "http://127.0.0.1:3000"))).toBe(
      "outputs/task/target/vocals.wav",
    );
    expect(links.findBlobKey(`${link}0`)).toBeUndefined();
    expect(links.findBlobKey(link.replace("vocals", "drums"))).toBeUndefined();
    expect(links.findBlobKey("https://stems.example/files/outputs/task/target/vocals.wav")).toBeUndefined();
    expect(links.findBlobKey("no link")).toBeUndefined();
  });

  it("[T3] it is recognised as long as it is valid", () => {
    nowMs += (LINK_LIFETIME_SECONDS + 1) * 1000;
    expect(links.findBlobKey(link)).toBeUndefined();
    nowMs -= (LINK_LIFETIME_SECONDS + 1) * 1000;
  });

  it("[T3] it is recognised behind a proxy that adds a path prefix", () => {
    const behind = makeLinks({ secret, baseUrl: () => "https://stems.example/api", nowMs: () => nowMs });
    const own = behind.sign("assets/id/A song.wav");
    expect(own).toMatch(/^https:\/\/stems\.example\/api\/files\/assets\//);
    expect(behind.findBlobKey(own)).toBe("assets/id/A song.wav");
    expect(behind.findBlobKey(own.replace("/api/files", "/files"))).toBe("assets/id/A song.wav");
    const nested = behind.sign("integrations/id/files/files/a.wav");
    expect(behind.findBlobKey(nested)).toBe("integrations/id/files/files/a.wav");
    expect(behind.findBlobKey(own.replace("/api/files", "/api/files/../files/x"))).toBeUndefined();
  });
});
