import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { writeReferenceCheckpoint } from "../../engine/added-networks/support/write-reference-checkpoint.ts";
import { decodeSignal, encodeSignal } from "../../engine/media/support/encode-and-decode.ts";
import { Reference } from "../../engine/networks/support/reference.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { runCli } from "../support/run-cli.ts";

const ENGINE = join(import.meta.dirname, "../../engine/networks");
const openReference = (family: string, name: string) =>
  new Reference(join(ENGINE, family, "support", `${name}.json`));

let folder: string;
beforeAll(async () => {
  folder = await makeTempDir("added-networks");
});
afterAll(() => rm(folder, { recursive: true }));

const run = (...args: string[]) =>
  runCli(args, { cwd: folder, env: { MODELS_DIR: join(folder, "models"), EXECUTION_PROVIDER: "cpu" } });

async function writeInput(reference: Reference, path: string): Promise<void> {
  const planes = reference.makeAudio();
  const [left = new Float32Array()] = planes;
  const samples = new Float32Array(left.length * 2);
  planes.forEach((plane, channel) => {
    for (let n = 0; n < plane.length; n++) samples[2 * n + channel] = plane[n] ?? 0;
  });
  const files = [{ path, format: "wav" as const }];
  await encodeSignal({ sampleRateHz: reference.sampleRateHz, channels: 2, samples }, { files });
}

async function readPlanes(path: string): Promise<Float32Array[]> {
  const { samples } = await decodeSignal(path);
  return [0, 1].map((channel) => samples.filter((_, n) => n % 2 === channel));
}

describe("a checkpoint", () => {
  it.each([
    // In bytes where that is faster, as htdemucs always is on a CPU.
    ["demucs", "htdemucs", 40],
    ["demucs", "hdemucs", 80],
    ["demucs", "htdemucs-bag", 40],
    ["demucs", "htdemucs-bare", 40],
    ["mdx23c", "mdx23c", 80],
    ["scnet", "scnet-normalized", 80],
  ])(
    "[S41] of %s (%s) is added by one command and separates as the original does, to %i dB",
    async (family, name, minDb) => {
      const reference = openReference(family, name);
      const added = await run(
        "models",
        "add",
        ...writeReferenceCheckpoint(reference, folder, name),
        ...["--id", `own-${name}`, "--licence", "MIT"],
      );
      expect(added.exitCode, added.stderr).toBe(0);
      expect(added.stdout).toMatch(/^found .*million parameters$/m);
      expect(added.stdout).toMatch(/^sha256 +[0-9a-f]{64}$/m);
      const input = join(folder, `${name}.wav`);
      await writeInput(reference, input);
      const separated = await run("separate", input, "--network", `own-${name}`);
      expect(separated.exitCode, separated.stderr).toBe(0);
      const shown = JSON.parse((await run("models", "show", `own-${name}`)).stdout) as {
        stems: string[];
        licence: string;
      };
      expect(shown.licence).toBe("MIT");
      const stems = await Promise.all(
        shown.stems.map((stem) => readPlanes(join(folder, name, `${stem}.wav`))),
      );
      for (const db of reference.compare(stems)) expect(db).toBeGreaterThan(minDb);
      expect((await run("separate", input, "--network", `own-${name}`)).stderr).toContain("done before");
    },
  );

  it("[S41] is listed, preferred for a model, checked and removed", async () => {
    const path = writeReferenceCheckpoint(openReference("mdx23c", "mdx23c-target"), folder, "target");
    const added = await run("models", "add", ...path, "--id", "mine", "--serve", "drums=vocals", "--default");
    expect(added.exitCode, added.stderr).toBe(0);
    expect(added.stdout).toMatch(
      /^serves +drums \(vocals\), vocals, instrumental \(input without vocals\)$/m,
    );
    expect((await run("models", "add", ...path, "--id", "mine")).stderr).toContain("There is a network mine");
    const [line = ""] = (await run("models", "list", "--json")).stdout
      .split("\n")
      .filter((text) => text.includes('"mine"'));
    expect(JSON.parse(line)).toMatchObject({ id: "mine", defaultFor: ["drums", "vocals", "instrumental"] });
    expect((await run("models", "default", "drums", "htdemucs")).stdout).toContain(
      "drums is made by htdemucs",
    );
    expect((await run("models", "default", "piano", "mine")).exitCode).toBe(EXIT_CODES.USAGE.code);
    const check = JSON.parse((await run("models", "check", "mine", "--json")).stdout) as Record<
      string,
      number
    >;
    expect(check.residualDb).toBeGreaterThan(120);
    expect(check.peakMemoryBytes).toBeGreaterThan(1e7);
    expect((await run("models", "remove", "mine")).exitCode).toBe(0);
    expect((await run("models", "show", "mine")).exitCode).toBe(EXIT_CODES.USAGE.code);
    const left = await readdir(join(folder, "models"));
    expect(left.filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("[S41] whose weights were changed is not used", async () => {
    const path = writeReferenceCheckpoint(openReference("mdx23c", "mdx23c-target"), folder, "changed");
    expect((await run("models", "add", ...path)).exitCode).toBe(0);
    const weights = join(folder, "models/changed/weights.safetensors");
    const bytes = await readFile(weights);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(weights, bytes);
    const { exitCode, stderr } = await run("models", "check", "changed");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("but the manifest names")]);
  });
});

describe("a download", () => {
  let server: Server;
  let address: string;
  let requests: (string | undefined)[] = [];
  let content: Buffer;
  let breaks = 0;
  beforeAll(async () => {
    await mkdir(join(folder, "web"), { recursive: true });
    const [path = ""] = writeReferenceCheckpoint(
      openReference("demucs", "htdemucs"),
      join(folder, "web"),
      "web",
    );
    content = await readFile(path);
    server = createServer((request, response) => {
      const { range } = request.headers;
      requests.push(range);
      const from = Number(/bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
      const body = content.subarray(from);
      response.writeHead(range ? 206 : 200, { "content-length": body.length, etag: '"one"' });
      if (breaks-- > 0) response.write(body.subarray(0, body.length / 2), () => response.destroy());
      else response.end(body);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/web.th`;
  });
  afterAll(() => server.close());

  it("[S41] resumes with the next byte where the line breaks; its sha256 is printed and pinned", async () => {
    breaks = 1;
    requests = [];
    const { exitCode, stdout, stderr } = await run("models", "add", address);
    expect(exitCode, stderr).toBe(0);
    expect(requests).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
    const [, sha256] = /^sha256 +([0-9a-f]{64}) of web\.th, pinned/m.exec(stdout) ?? [];
    const pins = JSON.parse(await readFile(join(folder, "models/pins.json"), "utf8")) as Record<
      string,
      string
    >;
    expect(pins[address]).toBe(sha256);
    await rm(join(folder, ".cache/stemwright/downloads"), { recursive: true });
    content = Buffer.from(content);
    content[content.length - 30] = 1;
    const changed = await run("models", "add", address, "--id", "again");
    expect([changed.exitCode, changed.stderr]).toEqual([
      1,
      expect.stringContaining("pinned when it was first"),
    ]);
  });
});
