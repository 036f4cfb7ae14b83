import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LegacyJob, Task } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { layPieces, loadTalkers } from "../../packages/engine/voices/support/two-talkers.ts";
import { type Signal, toWav } from "../support/audio.ts";
import { decodeLink, measurePeakDbfs, measureSdrDb } from "../support/measure.ts";
import { listServiceProcesses, SERVICE_KEY, type Service, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

/** Separates a conversation of two people with the real networks, in a service as a user starts it. */
vi.setConfig({ testTimeout: 1_800_000 });
/** Two voices of two channels each, 6 s at 16 kHz. */
const WINDOW_BYTES = 2 * 2 * 6 * 16_000 * 4;
const INTERRUPTION_SECONDS = 1.5;

let dataDir: string;
let service: Service;
let talkers: Awaited<ReturnType<typeof loadTalkers>>;
let assetId: string;
let talk: Signal;

beforeAll(async () => {
  dataDir = await makeTempDir("voices");
  service = await startService({ dataDir });
  talkers = await loadTalkers();
  talk = makeSignal({ sampleRateHz: 48_000, channels: 2 });
  ({ id: assetId } = await service.upload(toWav(talk), "talk.wav"));
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Four turns that each begin before the last one has ended, so that the separator has several windows. */
function makeSignal(shape: { sampleRateHz: number; channels: number }): Signal {
  const { english, spanish } = talkers;
  let atSeconds = 0;
  const pieces = [english, spanish, english, spanish].map((talker) => {
    const piece = { talker, atSeconds };
    atSeconds += talker.seconds - INTERRUPTION_SECONDS;
    return piece;
  });
  const seconds = Math.ceil(atSeconds + INTERRUPTION_SECONDS);
  return { sampleRateHz: shape.sampleRateHz, channels: layPieces(pieces, { seconds, ...shape }) };
}

const send = (method: string, path: string, body: unknown) =>
  service.call(path, {
    method,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

type Output = { name: string; format: string; link: string };
type Segments = {
  voices: { name: string; segments: { start: number; end: number; confidence: number }[] }[];
};

function linkOf(outputs: readonly Output[], name: string, format = "wav"): string {
  const output = outputs.find((file) => file.name === name && file.format === format);
  if (!output) throw new Error(`no ${name}.${format} in ${JSON.stringify(outputs)}`);
  return output.link;
}

const readSegments = async (outputs: readonly Output[], name: string) =>
  (await (await fetch(linkOf(outputs, name, "json"))).json()) as Segments;

/** The level of the difference between the sum of these outputs and the input; also checks their shape. */
async function measureLack(outputs: readonly Output[], names: readonly string[], input: Signal) {
  const channels = input.channels.length;
  const lengthFrames = input.channels[0]?.length ?? 0;
  const rest = new Float32Array(lengthFrames * channels);
  input.channels.forEach((plane, channel) => {
    plane.forEach((value, frame) => {
      rest[frame * channels + channel] = value;
    });
  });
  for (const name of names) {
    const file = await decodeLink(linkOf(outputs, name));
    expect(file).toMatchObject({ sampleRateHz: input.sampleRateHz, channels, lengthFrames });
    for (let i = 0; i < rest.length; i++) rest[i] = (rest[i] ?? 0) - (file.samples[i] ?? 0);
  }
  return measurePeakDbfs(rest);
}

const NAMES = ["voice_01", "voice_02", "voice_residual"];
const SOUND_FORMATS = ["wav", "flac", "mp3"];
const TARGET = { model: "multi_voice", formats: [...SOUND_FORMATS, "json"], residual: true };
let whole: Task;

describe("voices by Task", () => {
  it("[M3] are refused before they are granted, and run afterwards", async () => {
    expect((await send("POST", "/tasks", { assetId, targets: [TARGET] })).status).toBe(403);
    const [client] = (await (await service.call("/admin/clients")).json()) as { id: string }[];
    const path = `/admin/clients/${client?.id}/models/multi_voice`;
    const grant = { access: "enabled", creditsPerMinute: 2 };
    expect((await send("PUT", path, grant)).status).toBe(200);
    const { id } = await service.createTask({
      assetId,
      targets: [TARGET, { model: "multi_voice", variant: "n_speaker", formats: ["m4a", "opus"] }],
    });
    whole = await service.waitForTask(id);
    expect(whole.targets.map(({ status, error }) => ({ status, error }))).toEqual([
      { status: "completed", error: undefined },
      { status: "completed", error: undefined },
    ]);
  });

  it("[VO2] [VO3] have a file for each voice in every format, and a json beside them if asked", async () => {
    const names = whole.targets.map(({ output }) => output.map(({ name, format }) => `${name}.${format}`));
    expect(names).toEqual([
      [...NAMES.flatMap((name) => SOUND_FORMATS.map((format) => `${name}.${format}`)), "voice.json"],
      [...["01", "02"].flatMap((voice) => [`voice_n_speaker_${voice}.m4a`, `voice_n_speaker_${voice}.opus`])],
    ]);
    const { voices } = await readSegments(whole.targets[0]?.output ?? [], "voice");
    expect(voices.map(({ name }) => name)).toEqual(["voice_01", "voice_02"]);
    for (const { segments } of voices) {
      expect(segments.length).toBeGreaterThan(0);
      for (const { start, end, confidence } of segments) {
        expect(end).toBeGreaterThan(start);
        expect(confidence).toBeGreaterThan(0);
      }
    }
  });

  it("[VO1] are the same in every format, and with the residual add up to the input", async () => {
    const outputs = whole.targets[0]?.output ?? [];
    expect(await measureLack(outputs, NAMES, talk)).toBeLessThan(-120);
    const wav = await decodeLink(linkOf(outputs, "voice_02"));
    const flac = await decodeLink(linkOf(outputs, "voice_02", "flac"));
    expect(measureSdrDb(wav.samples, flac.samples)).toBeGreaterThan(60);
  });

  it.each([
    { sampleRateHz: 8000, channels: 1 },
    { sampleRateHz: 16_000, channels: 2 },
    { sampleRateHz: 44_100, channels: 1 },
  ])("[VO1] keep $sampleRateHz Hz and $channels channels", async (shape) => {
    const input = makeSignal(shape);
    const upload = await service.upload(toWav(input), "talk.wav");
    const { id } = await service.createTask({
      assetId: upload.id,
      targets: [{ model: "multi_voice", formats: ["wav"], residual: true }],
    });
    const [target] = (await service.waitForTask(id)).targets;
    expect(target?.status, JSON.stringify(target?.error)).toBe("completed");
    expect(await measureLack(target?.output ?? [], NAMES, input)).toBeLessThan(-120);
    const { voices } = await readSegments(target?.output ?? [], "voice");
    expect(voices.map(({ segments }) => segments.length > 0)).toEqual([true, true]);
  });
});

it("[J7] [VO2] voices by job have the files of a Task, of two speakers or as many as there are", async () => {
  for (const { variant, prefix } of [
    { variant: "two_speaker", prefix: "voice_two_speaker" },
    { variant: "n_speaker", prefix: "voice_n_speaker" },
  ]) {
    const metadata = { name: "multi_voice", format: "wav", variant, residual: true };
    const headers = { authorization: `Bearer ${SERVICE_KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ assetId, metadata });
    const created = await service.call("/job", { method: "POST", body, headers });
    const { job } = (await created.json()) as { job: LegacyJob };
    await service.waitForTask(job.id);
    const read = await service.call(`/job/${job.id}`, { headers });
    const { outputAssets, status } = ((await read.json()) as { job: LegacyJob }).job;
    expect(status).toBe("completed");
    const files = ["_01.wav", "_02.wav", "_residual.wav", ".json"];
    expect(outputAssets.map(({ name }) => name)).toEqual(files.map((file) => `${prefix}${file}`));
    const outputs = outputAssets.map(({ name, format, link }) => ({
      name: name.slice(0, -format.length - 1),
      format,
      link,
    }));
    const names = ["01", "02", "residual"].map((part) => `${prefix}_${part}`);
    expect(await measureLack(outputs, names, talk)).toBeLessThan(-120);
  }
});

it("[Q2] [VO1] a worker killed between two windows resumes after the first, with the same samples", async () => {
  const { id } = await service.createTask({
    assetId,
    targets: [{ model: "multi_voice", formats: ["wav"], residual: true }],
  });
  const path = join(dataDir, "work", id, "engine/voices-separator/two_speaker/voices.f32");
  const readSize = () =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  const isBetween = async () => (await readSize()) >= WINDOW_BYTES;
  await expect.poll(isBetween, { timeout: 1_200_000, interval: 50 }).toBe(true);
  for (const { pid } of await listServiceProcesses(dataDir, "worker")) process.kill(pid, "SIGKILL");
  const atKill = await readSize();
  const sizes: number[] = [];
  const task = await service.waitForTask(id, ({ completedAt }) => {
    void readSize().then((size) => size > 0 && sizes.push(size));
    return completedAt !== null;
  });
  expect(task.targets[0]?.status).toBe("completed");
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(Math.floor(atKill / WINDOW_BYTES) * WINDOW_BYTES);
  for (const name of NAMES) {
    const again = await decodeLink(linkOf(task.targets[0]?.output ?? [], name));
    const before = await decodeLink(linkOf(whole.targets[0]?.output ?? [], name));
    expect(again.samples).toEqual(before.samples);
  }
});
