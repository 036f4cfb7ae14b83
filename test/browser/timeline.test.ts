import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Stemwright, type Task } from "@stemwright/sdk";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeVideo } from "../../packages/engine/media/support/make-video.ts";
import { findFirstClientId } from "../../packages/server/db/accounts/client-rows.ts";
import {
  listViolations,
  measureWidth,
  openBrowser,
  openPage,
  screenshot,
  VIEWS,
} from "../support/browser.ts";
import { addMixerLanes, addMixerTask, type MixerTask } from "../support/mixer-task.ts";
import { SERVICE_KEY, type Service, startService } from "../support/service.ts";
import { signInOwner } from "../support/sign-in-owner.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "../support/test-database.ts";

const TRACKS = 7;
const LANES = ["Music", "Voice 1", "Voice 2", "Words"];
const FILM_FPS = 25;
const FILM_SECONDS = 95;

let dataDir: string;
let database: TestDatabase;
let service: Service;
let browser: Browser;
let client: Stemwright;
/** A song with lanes and an uploaded video as its input. */
let task: MixerTask;

beforeAll(async () => {
  dataDir = await makeTempDir("timeline");
  database = await openTestDatabase();
  [service, browser] = await Promise.all([
    startService({
      dataDir,
      command: ["npm", "run", "--silent", "api"],
      environment: { DATABASE_URL: database.url },
    }),
    openBrowser(),
  ]);
  client = new Stemwright({ baseUrl: service.address, apiKey: SERVICE_KEY });
  const film = join(dataDir, "film.mkv");
  makeVideo(film, FILM_FPS * FILM_SECONDS, { encoder: "libvpx", muxer: "matroska", soundSeconds: 1 });
  const asset = await client.assets.upload(new File([await readFile(film)], "film.mkv"));
  const clientId = (await findFirstClientId(database.db)) ?? "";
  const where = { pool: database.pool, blobsDir: join(dataDir, "blobs"), clientId };
  task = await addMixerTask(where, { pages: 1, assetId: asset.id });
  await addMixerLanes(where, task);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function openMixer(id: string, view = VIEWS[2]) {
  const opened = await openPage(browser, { ...(view ? { view } : {}), baseURL: service.address });
  await signInOwner(opened.context, service);
  await opened.page.goto(`/app/tasks/${id}`);
  await opened.page.getByRole("tab", { name: "Mixer" }).click();
  await expect.poll(() => opened.page.locator(".waveform[data-drawn=waveform]").count()).toBe(TRACKS);
  return opened;
}

type Place = { seconds: number; picture: number | null; isPaused: boolean | null };

/** The playhead in seconds while the whole recording is shown, and the video's own time. */
const readPlace = (page: Page) =>
  page.evaluate<Place>(`(() => {
    const head = document.querySelector(".mixer-playhead");
    const video = document.querySelector("video");
    return {
      seconds: (Number.parseFloat(head?.style.left) / 100) * ${task.durationSeconds},
      picture: video?.currentTime ?? null,
      isPaused: video?.paused ?? null,
    };
  })()`);
const readSeconds = async (page: Page) => (await readPlace(page)).seconds;

/** The share of the timeline that the loop covers. */
const readLoop = (page: Page) =>
  page.evaluate<number>(`(() => {
    const loop = document.querySelector(".mixer-loop");
    return loop.getBoundingClientRect().width / loop.parentElement.getBoundingClientRect().width;
  })()`);

/** The number of non-empty pixels of each track's drawing. */
const countDrawn = (page: Page) =>
  page.evaluate<number[]>(`[...document.querySelectorAll(".waveform canvas")].map((canvas) => {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    return pixels.filter((value, n) => n % 4 === 3 && value > 0).length;
  })`);

describe("the timeline", () => {
  it("[PV11] switches between waveforms and spectrograms of all tracks", async () => {
    const { page, context, complaints } = await openMixer(task.id);
    const waveforms = await countDrawn(page);
    expect(Math.min(...waveforms)).toBeGreaterThan(1000);
    await page.getByRole("button", { name: "Spectrograms" }).click();
    await expect.poll(() => page.locator(".waveform[data-drawn=spectrogram]").count()).toBe(TRACKS);
    const spectrograms = await countDrawn(page);
    expect(Math.min(...spectrograms)).toBeGreaterThan(5000);
    expect(spectrograms).not.toEqual(waveforms);
    await page.keyboard.press("w");
    await expect.poll(() => page.locator(".waveform[data-drawn=waveform]").count()).toBe(TRACKS);
    expect(await countDrawn(page)).toEqual(waveforms);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("[PV11] shows music regions, voices and words, and seeks to the one clicked", async () => {
    const { page, context } = await openMixer(task.id);
    const lane = (title: string) => page.locator(".mixer-lane", { hasText: title });
    await expect.poll(() => page.locator(".mixer-lane-title").allInnerTexts()).toEqual(LANES);
    await lane("Music").locator(".lane-block").nth(1).click();
    await expect.poll(() => readSeconds(page)).toBeCloseTo(24.4, 1);
    expect(await lane("Music").locator(".lane-block").nth(1).getAttribute("data-active")).toBe("true");

    const lines = lane("Words").locator(".lane-block");
    expect(await lines.first().textContent()).toBe("Seven ships sailed across the northern sea.");
    const hues = await lines.evaluateAll((all) => all.slice(0, 3).map((each) => each.className));
    expect(hues).toEqual(["lane-block hue-1", "lane-block hue-2", "lane-block hue-1"]);
    await lines.nth(3).click();
    await expect.poll(() => readSeconds(page)).toBeCloseTo(12.4, 1);
    await page.keyboard.press(".");
    await expect.poll(() => readSeconds(page)).toBeCloseTo(16.4, 1);
    await page.keyboard.press(",");
    await expect.poll(() => readSeconds(page)).toBeCloseTo(12.4, 1);
    for (let n = 0; n < 3; n++) await page.getByRole("button", { name: "Zoom in" }).click();
    await expect
      .poll(() =>
        lane("Words")
          .getByRole("button", { name: /^northern, 0:15/ })
          .count(),
      )
      .toBe(1);
    await context.close();
  });

  it("[PG5] stays open while in use when the words arrive", async () => {
    const { page, context } = await openPage(browser, { baseURL: service.address });
    await signInOwner(context, service);
    const isTask = ({ pathname }: URL) => pathname === `/tasks/${task.id}`;
    await page.route(isTask, async (route) => {
      const running = (await (await route.fetch()).json()) as Task;
      for (const target of running.targets)
        if (target.model === "transcription") Object.assign(target, { status: "processing", output: [] });
      await route.fulfill({ json: { ...running, completedAt: null } });
    });
    const finish = Promise.withResolvers<void>();
    await page.route(
      ({ pathname }) => pathname === `/tasks/${task.id}/events`,
      async (route) => {
        await finish.promise;
        await route.fulfill({ status: 204 });
      },
    );
    await page.goto(`/app/tasks/${task.id}`);
    await expect.poll(() => page.locator(".waveform[data-drawn=waveform]").count()).toBe(TRACKS);
    expect(await page.getByRole("tab", { name: "Words" }).count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await page.unroute(isTask);
    finish.resolve();
    await page.getByRole("tab", { name: "Words" }).waitFor();
    expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Mixer");
    await context.close();
  });

  it("[PV11] [O13] shows the same lanes for a share link, for reading and seeking", async () => {
    const share = await client.tasks.shares.create(task.id);
    for (const view of VIEWS) {
      const { page, context, complaints } = await openPage(browser, { view, baseURL: service.address });
      await page.goto(share.url);
      await expect.poll(() => page.locator(".mixer-lane-title").allInnerTexts()).toEqual(LANES);
      const blocks = (title: string) =>
        page.locator(".mixer-lane", { hasText: title }).locator(".lane-block");
      await blocks("Music").nth(1).click();
      await expect.poll(() => readSeconds(page)).toBeCloseTo(24.4, 1);
      await page.keyboard.press(".");
      await expect.poll(() => readSeconds(page)).toBeCloseTo(28.4, 1);
      expect(await blocks("Words").first().getAttribute("class")).toContain("hue-1");
      await page.locator(".words-row").first().waitFor();
      for (const name of [/^Edit/, "Undo", "Discard edits"])
        expect(await page.getByRole("button", { name }).count()).toBe(0);
      await screenshot(page, "share-lanes", view);
      expect(await listViolations(page)).toEqual([]);
      expect(await measureWidth(page)).toBeLessThanOrEqual(view.width);
      expect(complaints).toEqual([]);
      await context.close();
    }
  });

  it("[PV11] shows the video in sync with the mix", async () => {
    const { page, context, complaints } = await openMixer(task.id);
    const isInSync = ({ seconds, picture }: Place) => Math.abs(seconds - (picture ?? Number.NaN)) < 0.12;
    await page.locator("video").waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect
      .poll(() => readPlace(page))
      .toSatisfy((place: Place) => place.seconds > 1 && isInSync(place));
    for (const share of [0.7, 0.2]) {
      const box = await page.getByRole("button", { name: /^Timeline/ }).boundingBox();
      await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * share, (box?.y ?? 0) + 8);
      const from = share * task.durationSeconds;
      await expect
        .poll(() => readPlace(page), { interval: 30 })
        .toSatisfy((place: Place) => place.seconds > from + 0.5 && !place.isPaused && isInSync(place));
    }
    await page.keyboard.press("Space");
    await expect
      .poll(() => readPlace(page))
      .toSatisfy(
        ({ isPaused, seconds, picture }: Place) =>
          isPaused === true && Math.abs(seconds - (picture ?? Number.NaN)) < 0.03,
      );
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("[PV11] plays, mixes, loops and zooms with the keyboard alone", async () => {
    const { page, context } = await openMixer(task.id);
    const { keyboard } = page;
    const pressed = (name: string) =>
      page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed");
    // Away from the tabs, whose arrow keys switch tabs.
    await keyboard.press("Tab");
    await keyboard.press("End");
    await keyboard.press("Home");
    await keyboard.press("ArrowRight");
    await keyboard.press("Shift+ArrowRight");
    await expect.poll(() => readSeconds(page)).toBeCloseTo(6, 1);
    await keyboard.press("ArrowLeft");
    await expect.poll(() => readSeconds(page)).toBeCloseTo(1, 1);
    await keyboard.press("2");
    expect(await pressed("Solo Bass")).toBe("true");
    await keyboard.press("Shift+Digit3");
    expect(await pressed("Mute Drums")).toBe("true");
    await keyboard.press("n");
    expect(await pressed("Null test")).toBe("true");
    await keyboard.press("n");

    await keyboard.press("[");
    await keyboard.press("ArrowRight");
    await keyboard.press("]");
    const loop = page.locator(".mixer-loop");
    expect((await readLoop(page)) * task.durationSeconds).toBeCloseTo(5, 0);
    await keyboard.press("l");
    await loop.waitFor({ state: "detached" });
    await keyboard.press("l");
    await loop.waitFor();

    // A slider keeps its arrow keys and passes the others on.
    await page.getByRole("slider", { name: "Gain of Bass in dB" }).focus();
    const before = await readSeconds(page);
    await keyboard.press("ArrowRight");
    expect(await readSeconds(page)).toBeCloseTo(before, 5);
    await keyboard.press("Space");
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await keyboard.press("Space");
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();

    await keyboard.press("+");
    await page.getByRole("slider", { name: "Range of the recording that is shown" }).waitFor();
    await keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await context.close();
  });

  it("[PV11] makes a loop by dragging along the ruler, and repeats it", async () => {
    const { page, context } = await openMixer(task.id);
    const box = (await page.getByRole("button", { name: /^Timeline/ }).boundingBox()) ?? {
      ...{ x: 0, y: 0, width: 1, height: 1 },
    };
    const toX = (seconds: number) => box.x + (box.width * seconds) / task.durationSeconds;
    await page.mouse.move(toX(10), box.y + 8);
    await page.mouse.down();
    await page.mouse.move(toX(11.5), box.y + 8, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    let highest = 0;
    await expect
      .poll(() => readSeconds(page), { interval: 40 })
      .toSatisfy((seconds: number) => {
        const hasTurned = seconds < highest - 0.7;
        highest = Math.max(highest, seconds);
        return hasTurned;
      });
    expect(highest).toBeLessThan(11.8);
    // Behind its end, a loop that is turned on goes back to its start.
    await page.keyboard.press("l");
    await expect.poll(() => readSeconds(page)).toBeGreaterThan(12);
    await page.keyboard.press("l");
    await expect.poll(() => readSeconds(page)).toBeLessThan(11.8);
    await context.close();
  });

  it("[PV11] fits every screen, and axe-core finds nothing wrong with it", async () => {
    for (const view of VIEWS) {
      const { page, context } = await openMixer(task.id, view);
      await page.locator(".mixer-lane").first().waitFor();
      await screenshot(page, "timeline-waveforms", view);
      expect(await listViolations(page)).toEqual([]);
      expect(await measureWidth(page)).toBeLessThanOrEqual(view.width);
      await page.getByRole("button", { name: "Spectrograms" }).click();
      await expect.poll(() => page.locator(".waveform[data-drawn=spectrogram]").count()).toBe(TRACKS);
      for (let n = 0; n < 2; n++) await page.keyboard.press("+");
      await page.keyboard.press("l");
      await page.locator(".mixer-loop").waitFor();
      await screenshot(page, "timeline-spectrograms", view);
      expect(await listViolations(page)).toEqual([]);
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
      await screenshot(page, "timeline-keys", view);
      expect(await listViolations(page)).toEqual([]);
      await context.close();
    }
  });

  it("[PV11] explains why there is no video if it is not stored", async () => {
    await database.pool.query("delete from assets");
    const deleted = await openMixer(task.id);
    await deleted.page.getByText("The uploaded file is no longer stored").waitFor();
    await database.pool.query("update tasks set asset_id = null, url = 'https://media.example/film.mp4'");
    await deleted.page.reload();
    await deleted.page.getByRole("tab", { name: "Mixer" }).click();
    await deleted.page.getByText("No picture: the input was read from a URL").waitFor();
    await database.pool.query("update tasks set url = 'https://media.example/harbour-song.wav'");
    await deleted.page.reload();
    await deleted.page.getByRole("tab", { name: "Mixer" }).click();
    await deleted.page.locator(".mixer-lane").first().waitFor();
    expect(await deleted.page.getByText(/picture/).count()).toBe(0);
    await deleted.page.locator(".mixer-lane[data-kind=voice] .lane-block").nth(5).click();
    await expect.poll(() => readSeconds(deleted.page)).toBeGreaterThan(30);
    await screenshot(deleted.page, "timeline-docs", { width: 1440, theme: "light" });
    await deleted.context.close();
  });
});
