import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReverseProxy, startReverseProxy } from "../../../../test/support/reverse-proxy.ts";
import { startTestApi, type TestApi } from "../../../../test/support/test-api.ts";
import type { Dashboard } from "./load-dashboard.ts";

const DASHBOARD: Dashboard = {
  page: '<head><base href="/"></head><script src="./app/assets/index-abc.js"></script>',
  files: new Map([
    [
      "index-abc.js",
      {
        content: Buffer.from("as it is"),
        br: brotliCompressSync("by brotli"),
        gzip: gzipSync("by gzip"),
      },
    ],
  ]),
};
const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("the dashboard's pages", () => {
  let proxy: ReverseProxy;
  let api: TestApi;
  beforeAll(async () => {
    proxy = await startReverseProxy("/audio");
    const environment = { PORT: String(proxy.port), PUBLIC_BASE_URL: proxy.baseUrl };
    api = await startTestApi(environment, {}, undefined, DASHBOARD);
  });
  afterAll(async () => {
    await api.close();
    await proxy.close();
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(proxy.baseUrl + path, { headers, redirect: "manual" });

  it.each(["/", "/app", "/app/tasks/some-id", "/app/"])(
    "[PG1] %s is the page, for a browser",
    async (path) => {
      const response = await get(path, HTML);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("cache-control")).toContain("no-cache");
      expect(await response.text()).toContain('<base href="/audio/">');
      if (path === "/") expect(response.headers.get("vary")).toBe("accept, x-api-key");
      const again = await get(path, { ...HTML, "if-none-match": response.headers.get("etag") ?? "" });
      expect(again.status).toBe(304);
    },
  );

  it.each([{}, { accept: "*/*" }, { accept: "application/json" }])(
    "[PG1] / leads programs to the reference: %o",
    async (headers) => {
      const response = await get("/", headers);
      expect(response.status).toBe(302);
      expect(response.headers.get("location")).toBe("/audio/docs");
      expect(response.headers.get("vary")).toContain("accept");
    },
  );

  it("[PG1] paths of the API are the API's, whatever a browser accepts", async () => {
    expect((await get("/tasks", HTML)).headers.get("content-type")).toContain("application/json");
    expect((await get("/models", HTML)).status).toBe(200);
    expect(await (await get("/docs", HTML)).text()).toContain("Stemwright reference");
    const [, style = ""] = /href="(\S+swagger-ui\.css)"/.exec(await (await get("/docs")).text()) ?? [];
    expect((await fetch(new URL(style, proxy.baseUrl))).status).toBe(200);
    expect((await get("/nothing", HTML)).status).toBe(404);
  });

  it("[PG2] runs nothing inline or from elsewhere, and can't be framed", async () => {
    const policy = (await get("/", HTML)).headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'self'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
  });

  it.each([
    ["br, gzip", "br", "by brotli"],
    ["gzip", "gzip", "by gzip"],
    ["identity", null, "as it is"],
  ])("[PG3] a built file is kept for ever, and sent as %s takes it", async (accepted, encoding, text) => {
    const response = await get("/app/assets/index-abc.js", { "accept-encoding": accepted });
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(await response.text()).toBe(text);
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const tag = response.headers.get("etag") ?? "";
    const known = await get("/app/assets/index-abc.js", { "if-none-match": tag });
    expect(known.status).toBe(304);
  });

  it("[PG3] a file that is not built is 404", async () => {
    expect((await get("/app/assets/index-old.js")).status).toBe(404);
  });
});

describe("a service without its dashboard", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({}, {}, undefined, "Cannot find <package> 'vite'");
  });
  afterAll(() => api.close());

  it("[PG4] works, and its start page says what is missing", async () => {
    expect((await api.call("/tasks")).status).toBe(200);
    const response = await fetch(new URL("/", api.address), { headers: HTML });
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("Cannot find &lt;package> 'vite'");
    expect(api.logLines.join("")).toContain("dashboard not available");
  });
});
