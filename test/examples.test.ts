import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { makeTone, toWav } from "./support/audio.ts";
import { bundleForBrowsers } from "./support/bundle-sdk.ts";
import { makeTempDir } from "./support/temp-dir.ts";
import { startTestApi, type TestApi } from "./support/test-api.ts";
import { finishAll, startWorkerOfApi } from "./support/test-worker.ts";
import { TestXmlHttpRequest } from "./support/xml-http-request.ts";

const EXAMPLES_DIR = join(import.meta.dirname, "../examples");
const SONG = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 }));

let api: TestApi;
let folder: string;
let closeWorker: () => Promise<void>;
const runs: string[] = [];

beforeAll(async () => {
  api = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1" }, { pollIntervalMs: 50 });
  const { close } = await startWorkerOfApi(api, finishAll);
  closeWorker = close;
  folder = await makeTempDir("examples");
  await writeFile(join(folder, "song.wav"), SONG);
});
afterAll(async () => {
  await closeWorker();
  await api.close();
  await rm(folder, { recursive: true });
});
afterEach(() => void vi.unstubAllGlobals());

/** Runs an example like its reader would, in a separate folder. */
function start(name: string, ...args: string[]) {
  runs.push(name);
  const child = spawn(process.execPath, [join(EXAMPLES_DIR, name), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, STEMWRIGHT_BASE_URL: api.address, STEMWRIGHT_API_KEY: api.account.key },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output.stderr += chunk;
  });
  const ended = once(child, "close").then(([exitCode]) => ({ exitCode: exitCode as number, ...output }));
  return { child, output, ended };
}

describe("the examples", () => {
  it("separate.ts writes the stems of a song", async () => {
    const { exitCode, stderr, stdout } = await start("separate.ts", "song.wav", "stems").ended;
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("100 %");
    expect((await readdir(join(folder, "stems"))).sort()).toEqual([
      "bass.flac",
      "drums.flac",
      "other.flac",
      "vocals.flac",
    ]);
  });

  it("transcribe.ts writes subtitles next to the recording", async () => {
    const { exitCode, stderr, stdout } = await start("transcribe.ts", "song.wav", "en").ended;
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("song.srt");
    for (const name of ["song.srt", "song.vtt", "song.txt"])
      expect(await readFile(join(folder, name), "utf8")).toBe("stem");
  });

  it("engine.ts separates without a service", async () => {
    const { exitCode, stderr, stdout } = await start("engine.ts", "song.wav", "alone.wav").ended;
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/100 %\nalone\.wav\n$/);
    expect((await readFile(join(folder, "alone.wav"))).subarray(0, 4).toString()).toBe("RIFF");
  });

  it("batch.ts processes a folder, continues after a failure, and repeats nothing", async () => {
    await mkdir(join(folder, "songs"));
    for (const name of ["a.wav", "b.WAV", "c.wav", "d.wav"])
      await writeFile(join(folder, "songs", name), SONG);
    await writeFile(join(folder, "songs", "bad.wav"), "no sound");
    await writeFile(join(folder, "songs", "notes.txt"), "no song");
    const first = await start("batch.ts", "songs", "vocals").ended;
    expect(first.exitCode).toBe(1);
    expect(first.stderr).toMatch(/^bad\.wav: /);
    const all = ["a.flac", "b.flac", "c.flac", "d.flac"];
    expect((await readdir(join(folder, "vocals"))).sort()).toEqual(all);
    const second = await start("batch.ts", "songs", "vocals").ended;
    expect(second.stdout.match(/already done/g)).toHaveLength(4);
  });

  it("webhook-receiver.ts downloads the outputs it is notified about", async () => {
    const { child, output, ended } = start("webhook-receiver.ts", "0", "received");
    await expect.poll(() => output.stdout).toContain("ready at");
    const [, port] = /port: (\d+)/.exec(output.stdout) ?? [];
    const webhookUrl = `http://127.0.0.1:${port}/`;
    const forged = await fetch(webhookUrl, { method: "POST", body: "{}" });
    expect(forged.status).toBe(400);
    const { id: assetId } = (await (await api.upload(SONG, "song.wav")).json()) as { id: string };
    const targets = [{ model: "vocals", formats: ["wav"] }];
    const { id } = (await (await api.post("/tasks", { assetId, targets, webhookUrl })).json()) as {
      id: string;
    };
    await expect.poll(() => output.stdout).toContain(`${id}: 1 files`);
    expect(await readdir(join(folder, "received", id))).toEqual(["vocals.wav"]);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("browser-upload.html uploads with progress and links to the vocals", async () => {
    runs.push("browser-upload.html");
    const html = await readFile(join(EXAMPLES_DIR, "browser-upload.html"), "utf8");
    const [, script = ""] = /<script type="module">(.*)<\/script>/s.exec(html) ?? [];
    const elements = new Map<string, Record<string, unknown>>();
    for (const [, id = ""] of html.matchAll(/ id="(\w+)"/g))
      elements.set(id, {
        addEventListener: (name: string, listener: unknown) => set(id, { [name]: listener }),
      });
    const set = (id: string, fields: object) => Object.assign(elements.get(id) ?? {}, fields);
    set("service", { value: api.address });
    set("key", { value: api.account.key });
    set("song", { files: [new File([SONG], "song.wav")] });
    const shown: unknown[] = [];
    Object.defineProperty(elements.get("status"), "textContent", { set: (text) => void shown.push(text) });
    vi.stubGlobal("document", { getElementById: (id: string) => elements.get(id) });
    vi.stubGlobal("XMLHttpRequest", TestXmlHttpRequest);
    const modulePath = join(folder, "page.mjs");
    await writeFile(modulePath, await bundleForBrowsers(script));
    await import(/* @vite-ignore */ modulePath);
    const submit = elements.get("form")?.submit as (event: object) => Promise<void>;
    await submit({ preventDefault: () => {} });
    expect(shown.slice(0, 2)).toEqual(["Uploading", "Uploading"]);
    expect(shown.at(-1)).toBe("Done");
    const { href } = elements.get("vocals") as { href: string };
    expect(await (await fetch(href)).text()).toBe("stem");
  });

  it("are all covered", async () => {
    expect([...new Set(runs)].sort()).toEqual((await readdir(EXAMPLES_DIR)).sort());
  });
});
