import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NewShare, Task, TaskExports } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";
import { listTestPaths, startWorkerOfApi } from "../../../../../test/support/test-worker.ts";
import { getBox, listBoxes } from "../../../../engine/stem-file/mp4-box.ts";

const SONG = toWav(makeTone({ sampleRateHz: 8000, channels: 2, lengthFrames: 8000 }));

let api: TestApi;
let task: Task;
beforeAll(async () => {
  api = await startTestApi();
  const { id: assetId } = (await (await api.upload(SONG, "Später Walzer.wav")).json()) as { id: string };
  const targets = [
    { model: "vocals", formats: ["wav"], residual: true },
    // Another target with an output of the same name.
    { model: "vocals", formats: ["wav"], bitDepth: 16 },
  ];
  const { id } = (await (await api.post("/tasks", { assetId, targets })).json()) as Task;
  const worker = await startWorkerOfApi(api, async (request, hooks = {}) => {
    for (const target of request.targets) {
      for (const path of listTestPaths(target)) await writeFile(path, SONG);
      await hooks.onTargetDone?.(target.key, { durationSeconds: 1 });
    }
  });
  task = await vi.waitFor(
    async () => {
      const loaded = (await (await api.call(`/tasks/${id}`)).json()) as Task;
      if (loaded.completedAt === null) throw new Error("the Task is not complete");
      return loaded;
    },
    { timeout: 20_000 },
  );
  await worker.close();
});
afterAll(() => api.close());

const loadExports = async (path = `/tasks/${task.id}/exports`, key?: null) =>
  (await (await api.call(path, key === null ? { key } : {})).json()) as TaskExports;
const listTemporary = () => readdir(join(api.dataDir, "blobs", "partial"));

describe("exports of a Task", () => {
  it("[EX1] [EX2] all outputs are one zip file of the announced length, named after the recording", async () => {
    const { archive } = await loadExports();
    expect(archive?.files).toBe(3);
    const response = await fetch(archive?.link ?? "");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("content-disposition")).toBe(
      `attachment; filename="${task.id}.zip"; filename*=UTF-8''Sp%C3%A4ter%20Walzer.zip`,
    );
    const zip = Buffer.from(await response.arrayBuffer());
    expect(zip.length).toBe(archive?.size);
    expect(Number(response.headers.get("content-length"))).toBe(archive?.size);
    for (const name of ["vocals.wav", "vocals_residual.wav", "vocals-2.wav"].map(
      (file) => `Später Walzer - ${file}`,
    ))
      expect(zip.indexOf(name)).toBeGreaterThan(0);
    let copies = 0;
    for (let at = zip.indexOf(SONG); at >= 0; at = zip.indexOf(SONG, at + SONG.length)) copies += 1;
    expect(copies).toBe(3);
    const head = await fetch(archive?.link ?? "", { method: "HEAD" });
    expect(Number(head.headers.get("content-length"))).toBe(archive?.size);
  });

  it("[EX1] [O13] a share link offers the same files, and reveals nothing about the account", async () => {
    const { token } = (await (await api.post(`/tasks/${task.id}/shares`, {})).json()) as NewShare;
    const shared = await loadExports(`/shares/${token}/exports`, null);
    expect(Object.keys(shared)).toEqual(["archive", "stemFile"]);
    expect(JSON.stringify(shared)).not.toContain(api.account.clientId);
    for (const [file, name] of [
      [shared.archive, "outputs.zip"],
      [shared.stemFile, "outputs.stem.mp4"],
    ] as const) {
      const response = await fetch(file?.link ?? "");
      expect(response.status).toBe(200);
      expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
      expect(Buffer.from(await response.arrayBuffer()).includes("Walzer")).toBe(false);
    }
    expect((await api.call("/shares/nobody/exports", { key: null })).status).toBe(404);
  });

  it("[EX1] [O13] a share may tell the recording's name", async () => {
    const made = await api.post(`/tasks/${task.id}/shares`, { showsName: true });
    const { token, id, showsName } = (await made.json()) as NewShare;
    expect(showsName).toBe(true);
    const shown = await (await api.call(`/shares/${token}`, { key: null })).json();
    expect(shown).toMatchObject({ name: "Später Walzer.wav" });
    const { archive } = await loadExports(`/shares/${token}/exports`, null);
    const disposition = (await fetch(archive?.link ?? "")).headers.get("content-disposition");
    expect(disposition).toBe(`attachment; filename="outputs.zip"; filename*=UTF-8''Sp%C3%A4ter%20Walzer.zip`);
    await api.call(`/tasks/${task.id}/shares/${id}`, { method: "DELETE" });
    expect((await fetch(archive?.link ?? "")).status).toBe(403);
  });

  it("[EX1] a changed link, or one for another file, is rejected", async () => {
    const { archive } = await loadExports();
    const link = archive?.link ?? "";
    for (const changed of [link.replace(/.$/, "0"), link.replace("outputs.zip", "outputs.stem.mp4")])
      if (changed !== link) expect((await fetch(changed)).status).toBe(403);
    expect((await api.call(`/exports/${task.id}/outputs.zip`)).status).toBe(403);
    expect((await api.call(`/exports/${task.id}/other.zip`)).status).toBe(400);
  });

  it("[EX4] the stem file is made while it is downloaded, and leaves nothing behind", async () => {
    const { stemFile } = await loadExports();
    expect(stemFile?.stems).toEqual(["Vocals"]);
    const response = await fetch(stemFile?.link ?? "");
    expect(response.headers.get("content-disposition")).toContain("Sp%C3%A4ter%20Walzer.stem.mp4");
    const file = Buffer.from(await response.arrayBuffer());
    expect(listBoxes(file).map(({ type }) => type)).toEqual(["ftyp", ...Array(5).fill("mdat"), "moov"]);
    const { stems } = JSON.parse(getBox(file, "moov", "udta", "stem").content.toString());
    expect(stems.map(({ name }: { name: string }) => name)).toEqual(["Vocals", "Rest", "Silence", "Silence"]);
    await expect.poll(listTemporary).toEqual([]);
  });

  it("[EX2] a missing output is 404 before the first byte, and a Task without outputs has no exports", async () => {
    const { archive } = await loadExports();
    const url = new URL(task.targets[0]?.output[0]?.link ?? "").pathname.replace("/files/", "");
    await rm(join(api.dataDir, "blobs", url));
    const refused = await fetch(archive?.link ?? "");
    expect(refused.status).toBe(404);
    expect(((await refused.json()) as { message: string }).message).toMatch(/no longer kept/);
    const created = (await (
      await api.post("/tasks", {
        assetId: task.assetId,
        targets: [{ model: "vocals", formats: ["wav"] }],
      })
    ).json()) as Task;
    expect(await loadExports(`/tasks/${created.id}/exports`)).toEqual({});
  });
});
