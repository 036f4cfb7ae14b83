import { readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Target, Task } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import reference from "../../packages/engine/support/htdemucs-reference.json" with { type: "json" };
import { makeSyntheticSong } from "../../packages/engine/support/synthetic-song.ts";
import { makeTone, type Signal, toWav } from "../support/audio.ts";
import { type DecodedFile, decodeLink, measurePeakDbfs, measureSdrDb } from "../support/measure.ts";
import { listServiceProcesses, SERVICE_KEY, type Service, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const song: Signal = {
  sampleRateHz: 44_100,
  channels: makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames: reference.lengthFrames }),
};
const songWav = toWav(song);

const SPEECH_PATH = "../../packages/engine/transcription/support/english.opus";

let dataDir: string;
let service: Service;
let files: Server;
let filesAddress: string;

beforeAll(async () => {
  dataDir = await makeTempDir("e2e");
  files = createServer((request, response) => {
    if (request.url === "/moved.wav") response.writeHead(302, { location: "/song.wav" }).end();
    else if (request.url === "/song.wav") response.end(songWav);
    else if (request.url === "/text.mp3") response.end("this is no music");
    else if (request.url === "/private.wav") response.writeHead(403).end();
    else if (request.url === "/inward.wav") response.writeHead(302, { location: "http://127.0.0.2/" }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
  filesAddress = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  service = await startService({ dataDir, environment: { URL_ALLOW_PRIVATE: "127.0.0.1" } });
});
afterAll(async () => {
  await service.stop();
  files.close();
  await rm(dataDir, { recursive: true, force: true });
});

const linkOf = (task: Task, model: string, format: string, name = model) => {
  const output = task.targets
    .find((target) => target.model === model)
    ?.output.find((file) => file.name === name && file.format === format);
  if (!output) throw new Error(`no ${name}.${format} in ${JSON.stringify(task)}`);
  return output.link;
};

const interleave = ({ channels }: Signal) => {
  const samples = new Float32Array(channels.length * (channels[0]?.length ?? 0));
  channels.forEach((channel, c) => {
    channel.forEach((value, frame) => {
      samples[frame * channels.length + c] = value;
    });
  });
  return samples;
};

/** The frames of the stored reference, left channel then right. */
function pickReferenceFrames({ samples, channels, lengthFrames }: DecodedFile): number[] {
  const picked: number[] = [];
  for (let channel = 0; channel < 2; channel += 1) {
    for (let frame = 0; frame < lengthFrames; frame += reference.everyFrames)
      picked.push(samples[frame * channels + channel] ?? Number.NaN);
  }
  return picked;
}

function readReference(stem: keyof typeof reference.stems): Float32Array {
  const bytes = Buffer.from(reference.stems[stem], "base64");
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

describe("a real Task with the real network", () => {
  let task: Task;
  beforeAll(async () => {
    const { id } = await service.upload(songWav, "song.wav");
    const created = await service.createTask({
      assetId: id,
      targets: [
        { model: "vocals", formats: ["wav", "flac", "mp3"], residual: true },
        { model: "instrumental", formats: ["wav"] },
        { model: "drums", formats: ["wav", "m4a"] },
        { model: "bass", formats: ["wav", "aiff"] },
        { model: "other", formats: ["wav", "opus"], bitDepth: 24 },
      ],
    });
    const lastProgress = new Map<number, number>();
    task = await service.waitForTask(created.id, ({ completedAt, targets }) => {
      for (const [index, { progress }] of targets.entries()) {
        if (progress === undefined) continue;
        expect(progress).toBeGreaterThanOrEqual(lastProgress.get(index) ?? 0);
        lastProgress.set(index, progress);
      }
      return completedAt !== null;
    });
  });

  it("[T5] [C1] [T9] every target completes, with cost and duration", () => {
    expect(task.targets.map(({ status, cost, duration }) => ({ status, cost, duration }))).toEqual(
      Array.from({ length: 5 }, () => ({
        status: "completed",
        cost: 1,
        duration: reference.lengthFrames / 44_100,
      })),
    );
    expect(task.cost).toBe(5);
    expect(task.targets.every((target) => !("progress" in target) && !("error" in target))).toBe(true);
  });

  it("[O1] the outputs are named as specified, each residual after its stem", () => {
    const names = (target: Target | undefined) =>
      target?.output.map(({ name, format }) => `${name}.${format}`);
    expect(names(task.targets[0])).toEqual([
      "vocals.wav",
      "vocals.flac",
      "vocals.mp3",
      "vocals_residual.wav",
      "vocals_residual.flac",
      "vocals_residual.mp3",
    ]);
    for (const { output } of task.targets) {
      for (const file of output) {
        expect(file.link).toMatch(
          new RegExp(
            `^${service.address}/files/.*/${file.name}\\.${file.format}\\?Expires=\\d+&Signature=[0-9a-f]+$`,
          ),
        );
        expect(file.size).toBeGreaterThan(0);
      }
    }
  });

  it.each(["vocals", "drums", "bass", "other"] as const)(
    "[T8] %s is htdemucs's, within 40 dB of another program's run of it",
    async (stem) => {
      const decoded = await decodeLink(linkOf(task, stem, "wav"));
      expect(measureSdrDb(readReference(stem), pickReferenceFrames(decoded))).toBeGreaterThan(40);
    },
  );

  it("[O4] [O6] lossless outputs have the input's length, rate and channels", async () => {
    for (const [model, format] of [
      ["vocals", "wav"],
      ["vocals", "flac"],
      ["instrumental", "wav"],
      ["bass", "aiff"],
    ] as const) {
      const { lengthFrames, sampleRateHz, channels, codec } = await decodeLink(linkOf(task, model, format));
      expect({ lengthFrames, sampleRateHz, channels }).toEqual({
        lengthFrames: reference.lengthFrames,
        sampleRateHz: 44_100,
        channels: 2,
      });
      expect(codec).toBe({ wav: "pcm_f32le", flac: "flac", aiff: "pcm_s24be" }[format]);
    }
    expect((await decodeLink(linkOf(task, "other", "wav"))).codec).toBe("pcm_s24le");
  });

  it("[O6] lossy outputs have the format they claim, and the same audio", async () => {
    const vocals = await decodeLink(linkOf(task, "vocals", "wav"));
    const mp3 = await decodeLink(linkOf(task, "vocals", "mp3"));
    expect(mp3.codec).toMatch(/^mp3/);
    expect(measureSdrDb(vocals.samples, mp3.samples)).toBeGreaterThan(15);
    expect((await decodeLink(linkOf(task, "drums", "m4a"))).codec).toBe("aac");
    expect((await decodeLink(linkOf(task, "other", "opus"))).codec).toBe("opus");
  });

  it("[O5] stem plus residual is the input, to the last bit of float", async () => {
    const vocals = await decodeLink(linkOf(task, "vocals", "wav"));
    const residual = await decodeLink(linkOf(task, "vocals", "wav", "vocals_residual"));
    const input = interleave(song);
    const rest = input.map((value, i) => value - ((vocals.samples[i] ?? 0) + (residual.samples[i] ?? 0)));
    expect(measurePeakDbfs(rest)).toBeLessThan(-120);
  });
});

describe("targets of two networks in one Task", () => {
  it("[T8] [O5] each network runs once, and both return the input's shape", async () => {
    const shape = { sampleRateHz: 48_000, channels: 1, lengthFrames: 30_000 };
    const { id } = await service.upload(toWav(makeTone(shape)), "tone.wav");
    const created = await service.createTask({
      assetId: id,
      targets: [
        { model: "bass", formats: ["wav"] },
        { model: "dialogue", formats: ["wav"], residual: true },
        { model: "effects", formats: ["flac"] },
        { model: "music_fx", formats: ["wav"] },
      ],
    });
    const task = await service.waitForTask(created.id);
    expect(task.targets.map(({ status, cost }) => [status, cost])).toEqual([
      ["completed", 1],
      ["completed", 1.5],
      ["completed", 1.5],
      ["completed", 1.5],
    ]);
    expect(task.cost).toBe(5.5);
    const residual = await decodeLink(linkOf(task, "dialogue", "wav", "dialogue_residual"));
    const musicAndEffects = await decodeLink(linkOf(task, "music_fx", "wav"));
    expect(musicAndEffects).toMatchObject(shape);
    expect(musicAndEffects.samples).toEqual(residual.samples);
  });
});

describe("parts of the other stem", () => {
  it("[T8] [O5] are made by a second network from the first one's stem, and sum to it to the bit", async () => {
    const lengthFrames = 100_000;
    const input: Signal = {
      sampleRateHz: 44_100,
      channels: makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames }),
    };
    const { id } = await service.upload(toWav(input), "short.wav");
    const parts = ["guitar_electric", "guitar_acoustic", "piano", "keys", "strings", "wind"];
    const models = [...parts, "guitar", "other-x-guitar", "other", "vocals"];
    const created = await service.createTask({
      assetId: id,
      targets: models.map((model) => ({ model, formats: ["wav"], residual: model === "guitar" })),
    });
    const task = await service.waitForTask(created.id);
    expect(task.targets.map(({ status, cost }) => [status, cost])).toEqual(
      models.map(() => ["completed", 1]),
    );
    const read = async (model: string, name = model) => {
      const file = await decodeLink(linkOf(task, model, "wav", name));
      expect(file).toMatchObject({ sampleRateHz: 44_100, channels: 2, lengthFrames });
      return file.samples;
    };
    const [guitar, other] = [await read("guitar"), await read("other")];
    const without = (whole: Float32Array) => whole.map((value, i) => value - (guitar[i] ?? Number.NaN));
    expect(await read("other-x-guitar")).toEqual(without(other));
    expect(await read("guitar", "guitar_residual")).toEqual(without(interleave(input)));
    const sounds = await Promise.all(parts.map((model) => read(model)));
    const [electric, acoustic] = sounds;
    expect(guitar).toEqual(electric?.map((value, i) => value + (acoustic?.[i] ?? Number.NaN)));
    // The chords are in `other`: no part is louder than the whole.
    const loudness = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0);
    for (const part of [guitar, ...sounds]) expect(loudness(part)).toBeLessThan(loudness(other));
  });
});

describe("a Task for words", () => {
  it("[V3] [C2] transcription and alignment return text in every format, from one pass, for 1.5 credits", async () => {
    const speech = await readFile(join(import.meta.dirname, SPEECH_PATH));
    const { id } = await service.upload(speech, "speech.opus");
    const transcript = Buffer.from(
      "SEVEN SHIPS sailed across\nthe northern sea. The captain counted every wave!\n",
    );
    const { id: transcriptAssetId } = await service.upload(transcript, "text.txt");
    const created = await service.createTask({
      assetId: id,
      targets: [
        { model: "transcription", formats: ["json", "srt", "vtt", "txt", "lrc", "ass", "ultrastar"] },
        { model: "alignment", formats: ["json"], transcriptAssetId },
      ],
    });
    const task = await service.waitForTask(created.id);
    expect(task.targets.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(task.cost).toBe(1.5);
    const read = async (model: string, format: string) => (await fetch(linkOf(task, model, format))).text();
    expect(await read("transcription", "txt")).toBe(
      "Seven ships sailed across the Northern Sea.\nThe captain counted every wave.\n",
    );
    expect(await read("transcription", "srt")).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n/);
    expect(await read("transcription", "vtt")).toMatch(/^WEBVTT\n/);
    expect(await read("transcription", "lrc")).toMatch(/\[00:0\d\.\d\d\]/);
    expect(await read("transcription", "ass")).toMatch(/^Dialogue: 0,0:00:0\d\.\d\d,.*\{\\k\d+\}Seven /m);
    expect(await read("transcription", "ultrastar")).toMatch(/^#GAP:\d+\n: 0 \d+ 0 Seven $/m);
    const spoken = JSON.parse(await read("transcription", "json"));
    expect(spoken.metadata).toMatchObject({ language: "en", model: "whisper-small" });
    const aligned = JSON.parse(await read("alignment", "json"));
    expect(aligned.text).toBe(String(transcript));
    expect(aligned.lines).toHaveLength(2);
  });
});

describe("a Task for music regions", () => {
  it("[H2] [C1] music_detection returns the regions as json and txt, for half a credit", async () => {
    const { id } = await service.upload(songWav, "song.wav");
    const created = await service.createTask({
      assetId: id,
      targets: [{ model: "music_detection", formats: ["json", "txt"] }],
    });
    const task = await service.waitForTask(created.id);
    expect(task.targets.map(({ status }) => status)).toEqual(["completed"]);
    expect(task.cost).toBe(0.5);
    const read = async (format: string) => (await fetch(linkOf(task, "music_detection", format))).text();
    const regions = JSON.parse(await read("json"));
    expect(regions).toHaveLength(1);
    expect(regions[0]).toMatchObject({ start_time: 0, confidence: expect.any(Number) });
    expect(regions[0].end_time).toBeGreaterThan(0.9 * (reference.lengthFrames / 44_100));
    expect(await read("txt")).toMatch(/^0\.000\t\d+\.\d{3}\t[01]\.\d{4}\n$/);
  });
});

describe("inputs of every shape", () => {
  const shapes = [
    { model: "vocals", title: "3 s of mono at 8 kHz", sampleRateHz: 8000, channels: 1, lengthFrames: 24_000 },
    {
      model: "dialogue",
      title: "3 s of stereo at 96 kHz",
      sampleRateHz: 96_000,
      channels: 2,
      lengthFrames: 288_000,
    },
    { model: "vocals", title: "0.01 s", sampleRateHz: 44_100, channels: 2, lengthFrames: 441 },
    { model: "dialogue", title: "5.1 at 48 kHz", sampleRateHz: 48_000, channels: 6, lengthFrames: 12_000 },
  ];
  it.each(shapes)("[O4] [O5] $title keeps its shape: $model", async ({ title: _, model, ...shape }) => {
    const input = makeTone(shape);
    const { id } = await service.upload(toWav(input), "shape.wav");
    const created = await service.createTask({
      assetId: id,
      targets: [{ model, formats: ["wav"], residual: true }],
    });
    const task = await service.waitForTask(created.id);
    expect(task.targets[0]?.error).toBeUndefined();
    const stem = await decodeLink(linkOf(task, model, "wav"));
    const residual = await decodeLink(linkOf(task, model, "wav", `${model}_residual`));
    for (const { lengthFrames, sampleRateHz, channels } of [stem, residual])
      expect({ lengthFrames, sampleRateHz, channels }).toEqual(shape);
    const rest = interleave(input).map(
      (value, i) => value - ((stem.samples[i] ?? 0) + (residual.samples[i] ?? 0)),
    );
    expect(measurePeakDbfs(rest)).toBeLessThan(-120);
  });
});

describe("inputs by url", () => {
  const errorOf = async (url: string) => {
    const { id } = await service.createTask({ url, targets: [{ model: "bass", formats: ["wav"] }] });
    const [target] = (await service.waitForTask(id)).targets;
    return { status: target?.status, code: target?.error?.code, cost: target?.cost };
  };

  it("[T3] are fetched, redirects followed", async () => {
    const { id } = await service.createTask({
      url: `${filesAddress}/moved.wav`,
      targets: [{ model: "bass", formats: ["wav"] }],
    });
    const task = await service.waitForTask(id);
    expect(task).toMatchObject({ url: `${filesAddress}/moved.wav`, targets: [{ status: "completed" }] });
    expect(task).not.toHaveProperty("assetId");
  });

  it.each([
    ["/nothing.wav", 1004],
    ["/text.mp3", 1001],
    ["/private.wav", 1005],
    ["/inward.wav", 1005],
  ])("[T7] [U1] %s ends the target with error %i and costs nothing", async (path, code) => {
    expect(await errorOf(`${filesAddress}${path}`)).toEqual({ status: "error", code, cost: undefined });
  });

  it("[T3] our own download link is an input", async () => {
    const { link } = await service.upload(new TextEncoder().encode("no music"), "words.wav");
    expect(await errorOf(link)).toMatchObject({ status: "error", code: 1001 });
  });
});

describe("a killed worker", () => {
  it("[Q2] is taken over, and its Task completes once", async () => {
    // Two segments: the worker dies about when the first is done.
    const long: Signal = {
      sampleRateHz: 44_100,
      channels: makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames: 400_000 }),
    };
    const { id } = await service.upload(toWav(long), "long.wav");
    const created = await service.createTask({
      assetId: id,
      targets: [
        { model: "drums", formats: ["wav"] },
        { model: "bass", formats: ["flac"] },
      ],
    });
    await service.waitForTask(created.id, ({ targets }) => (targets[0]?.progress ?? 0) > 0.5);
    const workers = await listServiceProcesses(dataDir, "worker");
    expect(workers).toHaveLength(1);
    for (const { pid } of workers) process.kill(pid, "SIGKILL");

    const task = await service.waitForTask(created.id);
    expect(task.targets.map(({ status, cost, output }) => [status, cost, output.length])).toEqual([
      ["completed", 1, 1],
      ["completed", 1, 1],
    ]);
    expect(task.cost).toBe(2);
    expect((await decodeLink(linkOf(task, "drums", "wav"))).lengthFrames).toBe(400_000);
    const completions = service
      .output()
      .split("\n")
      .filter((line) => line.includes(task.id) && line.includes("target completed"));
    expect(completions).toHaveLength(2);
  });

  it("[T10] a Task deleted while it runs stops, and leaves no files", async () => {
    // A different length: stems of a sound that was separated before would be cached.
    const channels = makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames: 123_456 });
    const { id } = await service.upload(toWav({ sampleRateHz: 44_100, channels }), "song.wav");
    const created = await service.createTask({
      assetId: id,
      targets: [{ model: "other", formats: ["wav"] }],
    });
    await service.waitForTask(created.id, ({ targets }) => (targets[0]?.progress ?? 0) > 0);
    expect(
      (
        await service.call(`/tasks/${created.id}`, {
          method: "DELETE",
          headers: { "x-api-key": SERVICE_KEY },
        })
      ).status,
    ).toBe(200);
    const next = await service.createTask({
      url: `${filesAddress}/nothing.wav`,
      targets: [{ model: "bass", formats: ["wav"] }],
    });
    expect((await service.waitForTask(next.id)).targets[0]?.error?.code).toBe(1004);
    for (const folder of ["work", "blobs/outputs"]) {
      expect(await readdir(join(dataDir, folder)), folder).not.toContain(created.id);
    }
  });
});
