import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { TORCH_FOLDER } from "../../engine/checkpoints/support/memory-source.ts";
import { runCli } from "../support/run-cli.ts";

let folder: string;
beforeAll(async () => {
  folder = await makeTempDir("refused-networks");
});
afterAll(() => rm(folder, { recursive: true }));

const run = (...args: string[]) => runCli(args, { cwd: folder, env: { MODELS_DIR: join(folder, "models") } });

describe("a checkpoint", () => {
  it.each([
    ["evil.pt", "posix.system, which is refused"],
    ["lora.pt", "a LoRA adapter"],
    ["parameters.pt", "of an unknown architecture"],
    ["missing.pt", "neither a file nor a name"],
  ])("[S42] %s is refused in a sentence, and leaves nothing", async (name, sentence) => {
    const { exitCode, stderr } = await run("models", "add", join(TORCH_FOLDER, name), "--id", "refused");
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^ +at /m);
    const left = await readdir(join(folder, "models")).catch(() => []);
    expect(left.filter((entry) => entry.startsWith(".") || entry === "refused")).toEqual([]);
  });
});

describe("a known network", () => {
  it("[S42] asks first, and weights from a commercial program are not downloaded by name", async () => {
    expect((await run("models", "known")).stdout).toContain("mel-roformer-kim");
    expect((await run("models", "add", "mel-roformer-kim")).stderr).toContain("--yes confirms");
    expect((await run("models", "add", "bs-roformer-sw", "--yes")).stderr).toContain(
      "not downloaded by name",
    );
  });
});
