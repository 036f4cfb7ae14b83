import { fork } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Stemwright, type Task, type TaskPreviews } from "@stemwright/sdk";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { toWav } from "../../../../test/support/audio.ts";
import { makeGainEngine } from "../../../../test/support/gain-engine.ts";
import { decodeBytes, decodeLink, measureSdrDb } from "../../../../test/support/measure.ts";
import { startTestApi, type TestApi } from "../../../../test/support/test-api.ts";
import { type RunEngine, startWorkerOfApi } from "../../../../test/support/test-worker.ts";
import { makeSyntheticSong } from "../../../engine/support/synthetic-song.ts";
import { openFileBlobs } from "../../blobs/file-blobs.ts";
import { openFilePartials } from "../../blobs/file-partials.ts";
import { sweep } from "../../maintenance/sweeper.ts";

const SONG = { sampleRateHz: 44_100, lengthFrames: 520_000 };
const CHILD = join(import.meta.dirname, "../../../../test/support/gain-worker-child.ts");

let api: TestApi;
let client: Stemwright;
let assetId = "";
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  api = await startTestApi();
  client = new Stemwright({ baseUrl: api.address, apiKey: api.account.key });
  const wav = toWav({ sampleRateHz: SONG.sampleRateHz, channels: makeSyntheticSong(SONG) });
  assetId = (await client.assets.upload(new File([wav], "song.wav"))).id;
});
afterAll(() => api.close());
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function work(run: RunEngine = makeGainEngine()): Promise<void> {
  closers.push((await startWorkerOfApi(api, run)).close);
}
const createTask = (targets = [{ model: "vocals", formats: ["wav"], residual: true }]) =>
  client.tasks.create({ assetId, targets });
const listFiles = async (id: string) =>
  await readdir(join(api.dataDir, "blobs/outputs", id), { recursive: true }).catch(() => []);

function getVersion({ version }: TaskPreviews): string {
  if (version === undefined) throw new Error("no previews");
  return version;
}

/** All samples of a track, interleaved, as a player would join them.  */
async function readTrack(id: string, track: string): Promise<Float32Array> {
  const previews = await client.tasks.previews.get(id);
  const query = { version: getVersion(previews), tracks: [track] };
  const samples: number[] = [];
  for (let index = 0; index * (previews.chunkFrames ?? 0) < (previews.frames ?? 0); index++) {
    const [chunk] = await client.tasks.previews.chunk(id, index, query);
    if (!chunk) throw new Error(`chunk ${index} of ${track} is missing`);
    const decoded = await decodeBytes(chunk.flac);
    for (const value of decoded.samples) samples.push(value * chunk.gain);
  }
  return Float32Array.from(samples);
}

const linkOf = (task: Task, name: string) =>
  task.targets[0]?.output.find((output) => output.name === name)?.link ?? "";

describe("previews", () => {
  it("[PV1] [PV6] exist when the Task ends, and null against its outputs", async () => {
    await work();
    const { id } = await createTask();
    const task = await client.tasks.wait(id);
    const previews = await client.tasks.previews.get(id);
    const target = task.targets[0]?.id ?? "";
    expect(previews).toEqual({
      status: "complete",
      version: expect.any(String),
      sampleRate: 44_100,
      channels: 2,
      frames: 520_000,
      chunkFrames: 131_072,
      peakLevels: [256, 2048, 16_384, 131_072],
      spectrum: { levels: [2048, 16_384, 131_072], bands: 64, floorDb: -120 },
      tracks: [
        { id: "input", name: "input", chunks: 4 },
        { id: target, name: "vocals", targetId: target, chunks: 4 },
        { id: `${target}-residual`, name: "vocals_residual", targetId: target, chunks: 4 },
      ],
      mix: { tracks: [target, `${target}-residual`], isWhole: true },
    });
    for (const [track, name] of [
      [target, "vocals"],
      [`${target}-residual`, "vocals_residual"],
    ] as const) {
      const output = await decodeLink(linkOf(task, name));
      expect(measureSdrDb(output.samples, await readTrack(id, track))).toBeGreaterThan(95);
    }

    const query = { version: getVersion(previews), tracks: ["input", target] };
    for (const level of [256, 2048, 16_384, 131_072]) {
      const peaks = await client.tasks.previews.peaks(id, { ...query, level });
      expect(peaks.map((part) => [part.level, part.pairs.length])).toEqual(
        [0, 1].map(() => [level, 2 * Math.ceil(520_000 / level)]),
      );
      const [some] = await client.tasks.previews.peaks(id, { ...query, level, from: 1, to: 3 });
      const each = 131_072 / level;
      expect(some?.pairs).toEqual(peaks[0]?.pairs.slice(2 * each, 6 * each));
    }
  });

  it("[PV10] have spectrograms of all tracks, for any range", async () => {
    await work();
    const { id } = await createTask();
    const task = await client.tasks.wait(id);
    const query = {
      version: getVersion(await client.tasks.previews.get(id)),
      tracks: ["input", task.targets[0]?.id ?? ""],
    };
    for (const level of [2048, 16_384, 131_072]) {
      const spectra = await client.tasks.previews.spectra(id, { ...query, level });
      expect(spectra.map(({ length }) => length)).toEqual([0, 1].map(() => 64 * Math.ceil(520_000 / level)));
      // The network halves its input: 6 dB are 13 of 255 steps of 120 dB.
      const [input, vocals] = spectra;
      const steps = [...(input ?? [])]
        .map((byte, n) => byte - (vocals?.[n] ?? 0))
        .filter((_, n) => n % 64 === 20);
      expect(steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)]).toBeCloseTo(12.8, -0.5);
      const [some] = await client.tasks.previews.spectra(id, { ...query, level, from: 1, to: 3 });
      const each = (64 * 131_072) / level;
      expect(some).toEqual(input?.slice(each, 3 * each));
    }
    await expect(client.tasks.previews.spectra(id, { ...query, level: 256 })).rejects.toThrow(
      "level must be one of 2048, 16384, 131072",
    );
  });

  it("[PV6] need one request per chunk for all tracks, which is cacheable", async () => {
    await work();
    const { id } = await createTask();
    await client.tasks.wait(id);
    const previews = await client.tasks.previews.get(id);
    const version = getVersion(previews);
    const tracks = previews.tracks.map((track) => track.id).join();
    const path = `/tasks/${id}/previews`;
    const chunk = await api.call(`${path}/chunks/3?version=${version}&tracks=${tracks}`);
    expect(chunk.headers.get("content-type")).toBe("application/octet-stream");
    expect(chunk.headers.get("cache-control")).toBe("private, max-age=86400, immutable");
    const stranger = await api.addAccount();
    const calls: [string, number, string?][] = [
      [`${path}/chunks/4?version=${version}&tracks=input`, 404],
      [`${path}/chunks/x?version=${version}&tracks=input`, 400],
      [`${path}/chunks/0?version=${version}&tracks=../input`, 404],
      [`${path}/chunks/0?version=other&tracks=input`, 404],
      [`${path}/chunks/0?tracks=input`, 400],
      [`${path}/peaks?version=${version}&tracks=input&level=255`, 400],
      [`${path}/chunks/0?version=${version}&tracks=input`, 404, stranger.key],
      [path, 404, stranger.key],
    ];
    for (const [call, status, key = api.account.key] of calls)
      expect((await api.call(call, { key })).status, call).toBe(status);
  });

  it("[PV3] can be played while the Task runs; missing parts are empty and never cached", async () => {
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const beforeSegment = async (index: number) => {
      if (index < 3) return;
      reached.resolve();
      await go.promise;
    };
    const { id } = await createTask();
    expect(await client.tasks.previews.get(id)).toEqual({ status: "waiting", tracks: [] });
    await work(makeGainEngine({ beforeSegment }));
    await reached.promise;
    const find = async () => (await client.tasks.previews.get(id)).tracks[1]?.chunks ?? 0;
    await expect.poll(find).toBeGreaterThan(0);
    const previews = await client.tasks.previews.get(id);
    expect(previews.status).toBe("growing");
    const target = previews.tracks[1]?.id ?? "";
    const query = { version: getVersion(previews), tracks: ["input", target] };
    const first = await client.tasks.previews.chunk(id, 0, query);
    expect(first.map((chunk) => chunk?.gain)).toEqual([2, 1]);
    const last = await client.tasks.previews.chunk(id, 3, query);
    expect(last.map((chunk) => chunk !== undefined)).toEqual([true, false]);
    const answer = await api.call(
      `/tasks/${id}/previews/chunks/3?version=${query.version}&tracks=${query.tracks}`,
    );
    expect(answer.headers.get("cache-control")).toBe("no-store");
    go.resolve();
    await client.tasks.wait(id);
    expect((await client.tasks.previews.get(id)).status).toBe("complete");
  });

  it("[PV4] continue without a gap when the worker is killed with SIGKILL", async () => {
    const { id } = await createTask();
    const child = fork(CHILD, [api.database.url, join(api.dataDir, "blobs"), join(api.dataDir, "work")]);
    closers.push(async () => void child.kill("SIGKILL"));
    await once(child, "message");
    const find = async () => (await client.tasks.previews.get(id)).tracks.map(({ chunks }) => chunks);
    await expect.poll(find).toEqual([4, expect.any(Number), expect.any(Number)]);
    await expect.poll(async () => (await find())[1]).toBeGreaterThan(0);
    const before = await client.tasks.previews.get(id);
    child.kill("SIGKILL");
    await once(child, "exit");
    await work();
    const task = await client.tasks.wait(id);
    const after = await client.tasks.previews.get(id);
    expect(after).toMatchObject({ status: "complete", version: before.version });
    const output = await decodeLink(linkOf(task, "vocals"));
    expect(measureSdrDb(output.samples, await readTrack(id, after.tracks[1]?.id ?? ""))).toBeGreaterThan(95);
  });

  it("[PV4] start over if nothing is left of the work folder", async () => {
    const { id } = await createTask();
    const child = fork(CHILD, [api.database.url, join(api.dataDir, "blobs"), join(api.dataDir, "elsewhere")]);
    closers.push(async () => void child.kill("SIGKILL"));
    await once(child, "message");
    await expect.poll(async () => (await client.tasks.previews.get(id)).status).toBe("growing");
    const { version } = await client.tasks.previews.get(id);
    child.kill("SIGKILL");
    await once(child, "exit");
    await work();
    await client.tasks.wait(id);
    const after = await client.tasks.previews.get(id);
    expect(after.status).toBe("complete");
    expect(after.version).not.toBe(version);
    expect((await listFiles(id)).filter((name) => name.includes(version ?? ""))).toEqual([]);
  });

  it("[PV8] are not made for temporary Tasks", async () => {
    const { id } = await createTask();
    await api.database.pool.query("update tasks set is_temporary = true where id = $1", [id]);
    expect(await client.tasks.previews.get(id)).toEqual({ status: "none", tracks: [] });
    await work();
    await client.tasks.wait(id);
    expect((await listFiles(id)).filter((name) => name.startsWith("previews"))).toEqual([]);
    await client.tasks.delete(id);
  });

  it("[PV7] are deleted with the Task or its outputs, and count in the client's storage until then", async () => {
    await work();
    const [deleted, swept] = [await createTask(), await createTask()];
    for (const { id } of [deleted, swept]) await client.tasks.wait(id);
    const admin = await api.addAccount({ role: "admin" });
    const load = async () => {
      const response = await api.call(`/admin/clients/${api.account.clientId}`, { key: admin.key });
      return ((await response.json()) as { storage: { outputs: number } }).storage;
    };
    const full = await load();
    expect((await listFiles(deleted.id)).some((name) => name.startsWith("previews"))).toBe(true);
    await client.tasks.delete(deleted.id);
    expect(await listFiles(deleted.id)).toEqual([]);
    await api.database.pool.query("update tasks set completed_at = now() - interval '100 hours'");
    const config = { blobsDir: join(api.dataDir, "blobs"), workDir: join(api.dataDir, "work") };
    const blobs = await openFileBlobs(config.blobsDir);
    await sweep({
      db: api.database.db,
      blobs,
      partials: openFilePartials(blobs, { rootDir: config.blobsDir }),
      config: {
        ...config,
        ...{
          assetRetentionHours: 0,
          outputRetentionHours: 72,
          deliveryRetentionHours: 0,
          taskRetentionHours: 0,
        },
        ...{ cacheDir: join(api.dataDir, "cache"), stemCacheBytes: 0 },
        waits: { startSeconds: 50, maxSeconds: 3600 },
        uploadRules: { expiryHours: 24, unfinishedMaxBytes: 0, defaultQuotaBytes: 0 },
      },
    });
    expect(await listFiles(swept.id)).toEqual([]);
    expect(await client.tasks.previews.get(swept.id)).toEqual({ status: "none", tracks: [] });
    const left = await load();
    expect(JSON.stringify(left)).not.toBe(JSON.stringify(full));
    const totals = await api.database.pool.query(
      "select coalesce(sum(total_bytes), 0)::int as total from storage_totals where client_id = $1 and noun = 'outputs'",
      [api.account.clientId],
    );
    expect(totals.rows).toEqual([{ total: 0 }]);
  });
});
