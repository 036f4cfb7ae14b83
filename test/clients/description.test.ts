import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import { startTestApi, type TestApi } from "../support/test-api.ts";
import { makeToolFolder, runTool } from "../support/tool-folder.ts";

const SONG = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 }));

let api: TestApi;
let description: string;
beforeAll(async () => {
  api = await startTestApi();
  description = await (await api.call("/openapi.json", { key: null })).text();
});
afterAll(() => api.close());

async function makeFolder(): Promise<string> {
  const folder = await makeToolFolder();
  await writeFile(join(folder, "openapi.json"), description);
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  return folder;
}

describe("linters find no error in /openapi.json", () => {
  it("[G15] Redocly, by its recommended rules", async () => {
    const { exitCode, output } = await runTool(
      "redocly",
      ["lint", "openapi.json", "--extends=recommended", "--format=summary"],
      { cwd: await makeFolder(), env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
    );
    expect(exitCode, output).toBe(0);
    expect(output).toContain("Your API description is valid");
  });

  it("[G15] Spectral, by its rules for OpenAPI", async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, "rules.json"), '{ "extends": ["spectral:oas"] }');
    const { exitCode, output } = await runTool(
      "spectral",
      ["lint", "openapi.json", "--ruleset", "rules.json", "--format", "text"],
      { cwd: folder },
    );
    expect(exitCode, output).toBe(0);
  });
});

describe("clients generated from /openapi.json compile and make calls", () => {
  const COMPILER = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext"];
  const MODULES = ["--moduleResolution", "bundler", "--allowImportingTsExtensions", "--types", "node"];

  it.each([
    ["openapi-typescript", ["openapi.json", "-o", "schema.d.ts"], "openapi-typescript"],
    ["hey-api", ["-i", "openapi.json", "-o", "client"], "openapi-ts"],
  ])("[G15] %s", async (name, args, generator) => {
    const folder = await makeFolder();
    const made = await runTool(generator, args, { cwd: folder });
    expect(made.exitCode, made.output).toBe(0);
    // The variables that a program reads from its environment.
    const program = await readFile(join(import.meta.dirname, "programs", `${name}.ts`), "utf8");
    await writeFile(
      join(folder, "program.ts"),
      program.replaceAll(/process\.env\.(\w+)/g, "process.env.$1!"),
    );
    const checked = await runTool("tsc", [...COMPILER, ...MODULES, "program.ts"], { cwd: folder });
    expect(checked.output).toBe("");
    const built = await rolldown({ input: join(folder, "program.ts"), platform: "node", logLevel: "silent" });
    await built.write({ file: join(folder, "program.js"), format: "esm" });
    await built.close();
    const asset = (await (await api.upload(SONG, "song.wav")).json()) as { id: string };
    const env = { BASE_URL: api.address, API_KEY: api.account.key, ASSET_ID: asset.id };
    const ran = await runTool("node", ["program.js"], { cwd: folder, env });
    expect(ran).toEqual({ exitCode: 0, output: "vocals NOT_FOUND\n" });
  });
});
