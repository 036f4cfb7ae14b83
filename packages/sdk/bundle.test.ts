import { spawnSync } from "node:child_process";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bundleSdk } from "../../test/support/bundle-sdk.ts";
import { makeTempDir } from "../../test/support/temp-dir.ts";

const MAX_SIZE_BYTES = 12 * 1024;
const EXPORTS = ["ApiError", "ConnectionError", "Stemwright", "unwrapWebhook"];

/** The oldest supported Node, if the machine has one besides the project's own. */
const findNode20 = () =>
  ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    return /^v2[0-3]\./.test(stdout ?? "");
  });

describe("the bundled SDK", () => {
  let forBrowsers: string;
  let forNode: string;
  beforeAll(async () => {
    [forBrowsers, forNode] = await Promise.all([bundleSdk("browser"), bundleSdk("node")]);
  });

  it("[S30] takes at most 12 KB in a page, compressed", () => {
    expect(gzipSync(forBrowsers, { level: 9 }).length).toBeLessThanOrEqual(MAX_SIZE_BYTES);
  });

  it("contains no Node modules or schemas for browsers, and only the file system for Node", () => {
    const listImports = (code: string) =>
      [...code.matchAll(/from\s*["']([^"']+)["']/g)].map(([, name]) => name);
    expect(listImports(forBrowsers)).toEqual([]);
    expect(new Set(listImports(forNode))).toEqual(
      new Set(["node:fs", "node:fs/promises", "node:path", "node:stream", "node:stream/promises"]),
    );
    expect(forBrowsers + forNode).not.toMatch(/\bzod\b|ZodType|safeParse/i);
  });

  it("imports only types from the contract", async () => {
    const files = (await readdir(import.meta.dirname, { recursive: true })).filter(
      (path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.includes("node_modules"),
    );
    for (const file of files) {
      const code = await readFile(join(import.meta.dirname, file), "utf8");
      const statements = code.match(/^(import|export)[^;]*from "@stemwright\/contract";/gm) ?? [];
      for (const statement of statements) expect(statement, file).toMatch(/^(import|export) type /);
    }
  });

  it("loads as a module", async () => {
    const folder = await makeTempDir("sdk-bundle");
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const [name, code] of Object.entries({ browser: forBrowsers, node: forNode })) {
      await writeFile(join(folder, `${name}.mjs`), code);
      const loaded = (await import(/* @vite-ignore */ join(folder, `${name}.mjs`))) as Record<
        string,
        unknown
      >;
      expect(Object.keys(loaded)).toEqual(expect.arrayContaining(EXPORTS));
    }
  });

  it.skipIf(findNode20() === undefined)(
    "[S30] uploads, waits and saves on Node 20 (skipped if there is none)",
    async () => {
      const folder = await makeTempDir("sdk-node20");
      onTestFinished(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, "sdk.mjs"), forNode);
      await writeFile(join(folder, "song.wav"), "sound");
      await writeFile(
        join(folder, "program.mjs"),
        `
      import { createServer } from "node:http";
      import { readFile } from "node:fs/promises";
      import { Stemwright } from "./sdk.mjs";
      const output = [{ name: "vocals", format: "wav", link: "" }];
      const done = { id: "t1", completedAt: "now", targets: [{ id: "g1", status: "completed", output }] };
      const started = { ...done, completedAt: null, targets: [{ id: "g1", status: "processing", output: [] }] };
      let uploaded = 0;
      const server = createServer(async (request, response) => {
        for await (const chunk of request) uploaded += request.url === "/assets" ? chunk.length : 0;
        if (request.url === "/file") return response.end("stem");
        if (request.url.endsWith("/events"))
          return response.end("event: task\\ndata: " + JSON.stringify(done) + "\\n\\n");
        response.end(JSON.stringify(request.url === "/assets" ? { id: "a1" } : started));
      });
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      const baseUrl = "http://127.0.0.1:" + server.address().port;
      output[0].link = baseUrl + "/file";
      const client = new Stemwright({ baseUrl, apiKey: "k" });
      const task = await client.tasks.run("song.wav", [{ model: "vocals", formats: ["wav"] }]);
      const [path] = await client.tasks.saveAll(task, "out");
      console.log(uploaded > 5, await readFile(path, "utf8"));
      server.closeAllConnections();
      server.close();
      `,
      );
      const { stdout, stderr } = spawnSync(findNode20() as string, ["program.mjs"], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(stdout).toBe("true stem\n");
    },
  );
});
