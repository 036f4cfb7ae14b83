import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeProgram } from "../packages/cli/program.ts";
import { SETTINGS } from "../packages/server/config/settings.ts";
import { startTestApi, type TestApi } from "./support/test-api.ts";

const DEPLOY_DIR = join(import.meta.dirname, "../deploy");
const read = (path: string) => readFile(join(DEPLOY_DIR, path), "utf8");

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

describe("deploy/", () => {
  it("[S28] the Grafana dashboard queries exactly the existing metrics", async () => {
    const { key } = await api.addAccount({ role: "admin" });
    await api.call("/tasks");
    const text = await (await api.call("/metrics", { key })).text();
    const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const dashboard = JSON.parse(await read("grafana/stemwright.json")) as {
      panels: { targets: { expr: string }[] }[];
    };
    const asked = dashboard.panels
      .flatMap(({ targets }) => targets)
      .flatMap(({ expr }) => expr.match(/stemwright_\w+/g) ?? [])
      .map((name) => name.replace(/_bucket$/, ""));
    expect([...new Set(asked)].sort()).toEqual([...new Set(served)].sort());
  });

  it("[S28] settings named in images, units and manifests exist", async () => {
    const foreign = /^(POSTGRES_|PATH$|SPEECH_WEIGHTS$|ALL$)/;
    for (const file of await readdir(DEPLOY_DIR, { recursive: true })) {
      if (!/\.(yaml|service)$|Dockerfile$/.test(file)) continue;
      const text = (await read(file)).replace(/^\s*#.*$/gm, "");
      const names = [...text.matchAll(/(?:^\s*|[\s"=]|\$\{)([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=[:=}])/gm)].map(
        ([, name = ""]) => name,
      );
      for (const name of names.filter((each) => !foreign.test(each)))
        expect(SETTINGS, `${name} in ${file}`).toHaveProperty(name);
    }
  });

  it("[S28] their commands and probes exist", async () => {
    const commands = makeProgram().commands.map((command) => command.name());
    for (const command of ["serve", "api", "worker"]) expect(commands).toContain(command);
    expect(await read("kubernetes/stemwright.yaml")).toMatch(/args: \[api\][\s\S]*args: \[worker\]/);
    for (const probe of ["/health/ready", "/health/live"]) {
      expect(await read("kubernetes/stemwright.yaml")).toContain(`path: ${probe}`);
      expect((await api.call(probe, { key: null })).status).toBe(200);
    }
  });

  it("[S28] the port and the path of the health check are the same everywhere", async () => {
    const port = String(SETTINGS.PORT.default);
    const dockerfile = await read("Dockerfile");
    expect(dockerfile).toMatch(new RegExp(`PORT=${port}$`, "m"));
    expect(dockerfile).toMatch(new RegExp(`^EXPOSE ${port}$`, "m"));
    expect(/PORT\}(\/\S+)`/.exec(dockerfile)?.[1]).toBe("/health/ready");
    expect(await read("compose.yaml")).toContain(`ports: ["127.0.0.1:${port}:${port}"]`);
    expect(await read("kubernetes/stemwright.yaml")).toContain(`containerPort: ${port}`);
  });

  it("[S28] an image is built from the repository alone, without a checkout's node_modules", async () => {
    const ignored = (await read("../.dockerignore")).split("\n");
    expect(ignored).toEqual(expect.arrayContaining(["**/node_modules", ".git", ".data", "dist"]));
  });

  it.skipIf(!hasSystemd)("[S28] systemd accepts the unit (skipped if it is missing)", () => {
    const unit = join(DEPLOY_DIR, "systemd/stemwright.service");
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("[S28] the image runs as a plain user, and compose gives it a read-only root", async () => {
    expect(await read("Dockerfile")).toMatch(/^USER 10001:10001$/m);
    expect(await read("Dockerfile")).toMatch(/^HEALTHCHECK /m);
    expect(await read("compose.yaml")).toMatch(/^ {4}read_only: true$/m);
    const copied = [...(await read("Dockerfile")).matchAll(/^COPY packages\/(\w+)\/package\.json/gm)].map(
      ([, name]) => name,
    );
    expect(copied).toEqual((await readdir(join(DEPLOY_DIR, "../packages"))).sort());
  });
});
