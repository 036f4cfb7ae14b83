import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Stemwright } from "@stemwright/sdk";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../test/support/audio.ts";
import { makeTempDir } from "../../test/support/temp-dir.ts";
import { startTestApi, type TestApi } from "../../test/support/test-api.ts";
import { finishAll, startWorkerOfApi } from "../../test/support/test-worker.ts";
import { openWeakLine } from "../../test/support/weak-line.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { makeProgram } from "./program.ts";
import { runCli, startCli } from "./support/run-cli.ts";

const SONG = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 }));

let api: TestApi;
let folder: string;
let closeWorker: () => Promise<void>;

beforeAll(async () => {
  api = await startTestApi();
  const admin = await api.addAccount({ role: "admin" });
  await new Stemwright({ baseUrl: api.address, apiKey: admin.key }).admin.modelGrants.set(
    api.account.clientId,
    "multi_voice",
    { access: "enabled" },
  );
  const { close } = await startWorkerOfApi(api, finishAll);
  closeWorker = close;
  folder = await makeTempDir("cli");
  await mkdir(join(folder, "album/live"), { recursive: true });
  const songs = ["song", "broadcast", "album/one", "album/live/two"].map((name) => `${name}.mp3`);
  for (const name of [...songs, "talk.mp4", "interview.wav"]) await writeFile(join(folder, name), SONG);
  await writeFile(join(folder, "lyrics.txt"), "words");
  await writeFile(join(folder, "song.txt"), "words");
});
afterAll(async () => {
  await closeWorker();
  await api.close();
  await rm(folder, { recursive: true });
});

const environment = () => ({ STEMWRIGHT_BASE_URL: api.address, STEMWRIGHT_API_KEY: api.account.key });
const run = (args: string[], options: { stdinPath?: string } = {}) =>
  runCli(args, { cwd: folder, env: environment(), ...options });

describe("with a service", () => {
  it("[S21] separates a folder into files named by the pattern; finished outputs are not made again", async () => {
    const args = ["separate", "album", "-r", "--stems", "bass,drums", "-o", "out/{name}-{stem}.{ext}", "-s"];
    const first = await run([...args, "--json"]);
    expect(first.exitCode, first.stderr).toBe(0);
    expect((await readdir(join(folder, "out"))).sort()).toEqual([
      "one-bass.wav",
      "one-drums.wav",
      "two-bass.wav",
      "two-drums.wav",
    ]);
    const events = first.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string });
    expect(events.filter(({ event }) => event === "done")).toHaveLength(2);
    const second = await run(args);
    expect(second.stderr).toContain("done before");
    // An input that is newer than its outputs is made again.
    await utimes(join(folder, "album/one.mp3"), new Date(), new Date(Date.now() + 1000));
    const third = await run([...args, "--json"]);
    expect(third.stdout.match(/"event":"\w+","input":"album\/one.mp3"/g)?.at(-1)).toContain('"done"');
  });

  it("[S21] standard input becomes standard output, with nothing else in it", async () => {
    const { exitCode, content, stderr } = await run(
      ["separate", "-", "--stems", "vocals", "--output", "-", "--server"],
      { stdinPath: join(folder, "song.mp3") },
    );
    expect(exitCode, stderr).toBe(0);
    expect(String(content)).toBe("stem");
    expect(await readdir(join(folder, ".cache/stemwright"))).not.toContainEqual(
      expect.stringMatching(/^std/),
    );
  });

  it("[S25] a Task that was begun is picked up again", async () => {
    const client = new Stemwright({ baseUrl: api.address, apiKey: api.account.key });
    await closeWorker();
    const args = ["separate", "interview.wav", "--stems", "bass", "--server"];
    const { child, ended } = startCli(args, { cwd: folder, env: environment() });
    const before = (await client.tasks.list().page()).total;
    await expect
      .poll(async () => (await readdir(join(folder, ".cache/stemwright/tasks")).catch(() => [])).length)
      .toBe(1);
    child.kill("SIGINT");
    expect((await ended).exitCode).toBe(EXIT_CODES.INTERRUPTED.code);
    closeWorker = (await startWorkerOfApi(api, finishAll)).close;
    expect((await run(args)).exitCode).toBe(0);
    expect((await client.tasks.list().page()).total).toBeLessThanOrEqual((before ?? 0) + 1);
    expect(await readFile(join(folder, "interview/bass.wav"), "utf8")).toBe("stem");
  });

  it("[S25] an upload that was cut off resumes with the next byte", async () => {
    const lengthFrames = 20_000_000;
    const long = toWav(makeTone({ sampleRateHz: 48_000, channels: 1, lengthFrames }));
    await writeFile(join(folder, "long.wav"), long);
    const client = new Stemwright({ baseUrl: api.address, apiKey: api.account.key });
    const findLeft = async () => (await client.uploads.list().toArray())[0];
    const line = await openWeakLine(api.address, { holdsAfterBytes: 9_000_000 });
    const args = ["separate", "long.wav", "--stems", "bass", "-o", "long-out/{stem}.{ext}", "-s"];
    const first = startCli(args, { cwd: folder, env: { ...environment(), STEMWRIGHT_BASE_URL: line } });
    await expect.poll(async () => (await findLeft())?.offset).toBeGreaterThan(5_000_000);
    first.child.kill("SIGKILL");
    await expect.poll(async () => (await findLeft())?.isReceiving).toBe(false);
    const left = await findLeft();
    const second = await run(args);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(await client.assets.get(left?.id ?? "")).toMatchObject({ name: "long.wav", size: long.length });
    expect(await findLeft()).toBeUndefined();
  });

  it("[S21] each speaker gets a file, and finished files are not made again", async () => {
    const args = [
      "voices",
      "interview.wav",
      "-o",
      "people/{stem}.{ext}",
      "--residual",
      "-f",
      "flac,mp3",
      "-s",
    ];
    const { exitCode, stdout, stderr } = await run(args);
    expect(exitCode, stderr).toBe(0);
    const names = ["voice_01", "voice_02", "voice_residual"];
    const files = [...names.flatMap((name) => [`${name}.flac`, `${name}.mp3`]), "voice.json"];
    expect(stdout).toBe(files.map((name) => `${join(folder, "people", name)}\n`).join(""));
    // As the engine writes it; the test's fake engine writes a word into each file.
    await writeFile(join(folder, "people/voice.json"), JSON.stringify({ voices: [{}, {}] }));
    expect((await run(args)).stderr).toContain("done before");
    await rm(join(folder, "people/voice_02.mp3"));
    expect((await run(args)).stdout).toContain("voice_02.mp3");
  });

  it("[S21] --watch processes files added to the folder", async () => {
    await mkdir(join(folder, "inbox"));
    await writeFile(join(folder, "inbox/first.mp3"), SONG);
    const args = ["transcribe", "inbox", "--watch", "--server", "--format", "txt"];
    const { child, ended, stdout } = startCli(args, { cwd: folder, env: environment() });
    await expect.poll(stdout).toContain("first.txt");
    await writeFile(join(folder, "inbox/second.mp3"), SONG);
    await expect.poll(stdout).toContain("second.txt");
    child.kill("SIGINT");
    expect((await ended).exitCode).toBe(0);
  });

  it("models, tasks list, show and download ask the service", async () => {
    expect((await run(["models", "--server"])).stdout).toMatch(/^vocals +enabled/m);
    const [id = ""] = (await run(["tasks", "list", "-n", "1"])).stdout.split(" ");
    expect(JSON.parse((await run(["tasks", "show", id])).stdout)).toMatchObject({ id });
    const saved = await run(["tasks", "download", id, "saved"]);
    expect(saved.exitCode).toBe(0);
    expect(await readdir(join(folder, "saved"))).toHaveLength(saved.stdout.trim().split("\n").length);
  });
});

describe("exit codes", () => {
  it.each([
    [["separate", "missing.mp3"], "NO_INPUT", "missing.mp3 does not exist."],
    [["separate", "song.mp3", "--format", "xyz"], "USAGE", "--format xyz: it must be among wav"],
    [["separate", "https://x.example/a.mp3"], "USAGE", "let a service fetch it (--server)"],
    [
      ["separate", "song.mp3", "--stems", "vocals,bass", "-o", "-"],
      "USAGE",
      "Standard output takes one file",
    ],
    [["voices", "interview.wav", "-o", "-"], "USAGE", "Standard output takes one file"],
    [["voices", "interview.wav", "--speakers", "3"], "USAGE", "it must be 2 or n"],
    [["align", "broadcast.mp3"], "NO_INPUT", "broadcast.txt does not exist; --text names"],
    [["separate", "song.mp3", "--stems", "kazoo"], "NOT_READY", "kazoo is not installed here"],
    [["tasks", "show", "nobody"], "USAGE", "stemwright: "],
    [["separate", "song.mp3", "--server", "http://127.0.0.1:1"], "UNREACHABLE", "song.mp3"],
    [["webhooks", "listen"], "USAGE", "give --secret"],
    [["completion", "tcsh"], "USAGE", "there is one for bash, zsh, fish"],
  ] as const)("[S22] %j ends with %s and says why", async (args, reason, sentence) => {
    const { exitCode, stderr } = await run([...args]);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(exitCode).toBe(EXIT_CODES[reason].code);
  });

  it("[S22] reports one bad input of several, and processes the others", async () => {
    await writeFile(join(folder, "bad.mp3"), "no sound");
    const { exitCode, stdout, stderr } = await run([
      "separate",
      "bad.mp3",
      "song.mp3",
      "--stems",
      "other",
      "-s",
    ]);
    expect(exitCode).toBe(EXIT_CODES.PARTLY.code);
    expect(stderr).toMatch(/bad\.mp3: failed: \S/);
    expect(stdout).toContain("song/other.wav");
  });
});

/** The lines after `$` in a command's help. */
function listExamples(command: Command): string[] {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const own = [...help.matchAll(/^ +\$ stemwright (.*)$/gm)].map(([, line = ""]) => line);
  return [...own, ...command.commands.flatMap(listExamples)];
}

/** Parses a line without pipes: words, single quotes, `<` and `>`. */
function parseLine(line: string) {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const at = (sign: string) => (words.includes(sign) ? words[words.indexOf(sign) + 1] : undefined);
  const end = words.findIndex((word) => word === "<" || word === ">");
  return { args: end === -1 ? words : words.slice(0, end), from: at("<"), to: at(">") };
}

const WORK = ["separate", "transcribe", "align", "voices", "detect", "analyze"];
/** Examples for the local engine would take as long as the networks: only one of them is run, below. */
const toServed = (args: string[]) =>
  WORK.includes(args[0] ?? "") && !args.includes("--server") ? [...args, "--server"] : args;

describe("examples in --help", () => {
  const examples = makeProgram()
    .commands.flatMap(listExamples)
    .filter((line) => !line.startsWith("webhooks listen"));
  it("[S24] are there for every command that works on files", () => {
    for (const name of WORK)
      expect(examples.filter((line) => line.startsWith(name)).length).toBeGreaterThan(0);
  });

  it.each(examples)("[S24] stemwright %s", async (line) => {
    const { args, from } = parseLine(line.replace("http://127.0.0.1:8080", api.address));
    const stdin = from === undefined ? {} : { stdinPath: join(folder, from) };
    const { exitCode, stderr } = await run(toServed(args), stdin);
    expect(stderr).not.toMatch(/failed|error/i);
    expect(exitCode).toBe(0);
  });

  it("[S24] stemwright webhooks listen prints what arrives, and whether it is signed", async () => {
    const { child, ended, stdout, stderr } = startCli(
      ["webhooks", "listen", "--port", "0", "--secret", "whsec_c2VjcmV0"],
      { cwd: folder },
    );
    await expect.poll(stderr).toContain("listening on");
    const [address = ""] = /http:\S+(?=;)/.exec(stderr()) ?? [];
    const response = await fetch(address, { method: "POST", body: "{}", headers: { "webhook-id": "x" } });
    expect(response.status).toBe(400);
    await expect.poll(stdout).toMatch(/^x {2}NOT verified: /);
    child.kill("SIGINT");
    expect((await ended).exitCode).toBe(0);
  });
});
