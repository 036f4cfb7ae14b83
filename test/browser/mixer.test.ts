import { readFile, rm } from "node:fs/promises";
import { Stemwright } from "@stemwright/sdk";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSyntheticSong } from "../../packages/engine/support/synthetic-song.ts";
import { toWav } from "../support/audio.ts";
import { clearTap, readTap, TAP, type Tap } from "../support/audio-tap.ts";
import {
  listViolations,
  measureWidth,
  openBrowser,
  openPage,
  screenshot,
  VIEWS,
} from "../support/browser.ts";
import { SERVICE_KEY, type Service, startService } from "../support/service.ts";
import { signInOwner } from "../support/sign-in-owner.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const SONG = { sampleRateHz: 44_100, lengthFrames: 900_000 };
const SEEKS = 100;
/** −90 dBFS. */
const NULL_PEAK = 10 ** (-90 / 20);

let dataDir: string;
let service: Service;
let browser: Browser;
let client: Stemwright;
beforeAll(async () => {
  dataDir = await makeTempDir("mixer");
  [service, browser] = await Promise.all([startService({ dataDir }), openBrowser()]);
  client = new Stemwright({ baseUrl: service.address, apiKey: SERVICE_KEY });
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function openMixer(id: string, view = VIEWS[2]) {
  const opened = await openPage(browser, { ...(view ? { view } : {}), baseURL: service.address });
  await signInOwner(opened.context, service);
  await opened.page.addInitScript({ content: TAP });
  await opened.page.goto(`/app/tasks/${id}`);
  return opened;
}

describe("the mixer", () => {
  let id = "";
  it("[PV9] plays a Task while it runs", async () => {
    const wav = toWav({ sampleRateHz: SONG.sampleRateHz, channels: makeSyntheticSong(SONG) });
    const { id: assetId } = await client.assets.upload(new File([wav], "song.wav"));
    const targets = [{ model: "vocals", formats: ["wav"], residual: true }];
    ({ id } = await client.tasks.create({ assetId, targets }));
    const { page, context, complaints } = await openMixer(id);
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(async () => (await readTap(page)).peak, { timeout: 240_000 }).toBeGreaterThan(0.01);
    expect((await client.tasks.get(id)).completedAt).toBeNull();
    expect(complaints).toEqual([]);
    await context.close();
    await client.tasks.wait(id);
  });

  it(`[PV9] renders stems that null against the original, after ${SEEKS} seeks`, async () => {
    const { page, context, complaints } = await openMixer(id);
    await page.getByRole("button", { name: "Null test" }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(async () => (await readTap(page)).starts).toBeGreaterThan(0);
    await clearTap(page);
    const before = await readTap(page);
    const timeline = page.getByRole("button", { name: /^Seek in/ }).first();
    const box = (await timeline.boundingBox()) ?? { x: 0, y: 0, width: 1, height: 1 };
    for (let seek = 0; seek < SEEKS; seek++) {
      const { starts, frames } = await readTap(page);
      await page.mouse.click(box.x + box.width * (0.02 + 0.9 * ((seek * 0.618) % 1)), box.y + 10);
      await expect
        .poll(() => readTap(page), { interval: 20 })
        .toSatisfy((tap: Tap) => tap.starts > starts && tap.frames >= frames + 8192);
    }
    const after = await readTap(page);
    expect(after.starts - before.starts).toBeGreaterThanOrEqual(3 * SEEKS);
    expect(after.peak).toBeLessThan(NULL_PEAK);
    await page.getByRole("button", { name: "Null test" }).click();
    await expect.poll(async () => (await readTap(page)).peak).toBeGreaterThan(0.01);
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("[EX3] the mix, a loop, all outputs and a stem file are saved", async () => {
    const { page, context, complaints } = await openMixer(id);
    const save = async (name: string | RegExp) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name }).click(),
      ]);
      const path = await download.path();
      return { name: download.suggestedFilename(), bytes: await readFile(path) };
    };
    const mix = await save("Save the mix as wav");
    expect([mix.name, mix.bytes.length]).toEqual(["song - mix.wav", 44 + 8 * SONG.lengthFrames]);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("]");
    const loop = await save("Save the loop as wav");
    expect([loop.name, loop.bytes.length]).toEqual(["song - loop.wav", 44 + 8 * 5 * SONG.sampleRateHz]);
    await page.getByRole("tab", { name: "Outputs" }).click();
    const zip = await save(/^All as zip/);
    const sizes = (await client.tasks.get(id)).targets[0]?.output.map(({ size }) => size) ?? [];
    expect(zip.name).toBe("song.zip");
    expect(zip.bytes.length - sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1000);
    const stemFile = await save(/^For DJ software/);
    expect(stemFile.name).toBe("song.stem.mp4");
    expect(stemFile.bytes.subarray(-200_000).includes('"name":"Vocals"')).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("[PV9] [O13] a share link opens the mixer without an account, until it is revoked", async () => {
    const share = await client.tasks.shares.create(id, { expiresInSeconds: 3600 });
    for (const view of VIEWS) {
      const { page, context, complaints } = await openPage(browser, { view, baseURL: service.address });
      await page.addInitScript({ content: TAP });
      await page.goto(share.url);
      await page.getByRole("button", { name: "Play", exact: true }).click();
      await page.getByRole("button", { name: "Solo Vocals", exact: true }).click();
      await expect.poll(async () => (await readTap(page)).peak).toBeGreaterThan(0.01);
      await page.getByRole("link", { name: "Download vocals.wav" }).waitFor();
      await page.getByRole("button", { name: /^All as zip/ }).waitFor();
      for (const name of ["Share", "Delete", "Run again"])
        expect(await page.getByRole("button", { name }).count()).toBe(0);
      await screenshot(page, "share-mixer", view);
      expect(await listViolations(page)).toEqual([]);
      expect(await measureWidth(page)).toBeLessThanOrEqual(view.width);
      expect(await context.cookies()).toEqual([]);
      expect(complaints).toEqual([]);
      if (view === VIEWS.at(-1)) {
        await client.tasks.shares.revoke(id, share.id);
        await page.reload();
        await page.getByText("This link no longer works").waitFor();
      }
      await context.close();
    }
  });

  it("[PV9] fits every screen, and axe-core finds nothing wrong with it", async () => {
    for (const view of VIEWS) {
      const { page, context } = await openMixer(id, view);
      await page.getByRole("button", { name: "Play", exact: true }).waitFor();
      await page.locator(".waveform canvas").first().waitFor();
      await screenshot(page, "mixer", view);
      expect(await listViolations(page)).toEqual([]);
      expect(await measureWidth(page)).toBeLessThanOrEqual(view.width);
      await context.close();
    }
  });
});
