import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PRESETS } from "../../packages/dashboard/pages/playground/presets.ts";
import { findFirstClientId } from "../../packages/server/db/accounts/client-rows.ts";
import { readTap, TAP } from "../support/audio-tap.ts";
import { listViolations, openBrowser, openPage, screenshot, VIEWS } from "../support/browser.ts";
import { addMixerTask, makeMixerSong } from "../support/mixer-task.ts";
import { type Service, startService } from "../support/service.ts";
import { signInOwner } from "../support/sign-in-owner.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "../support/test-database.ts";

const WAV_HEADER_BYTES = 44;
/** Everything a song has, and all but its voice once more. */
const DOUBLED = ["vocals", "drums", "bass", "other", "instrumental"];
const WHOLE = { "four-stems": 4, band: 5, dubbing: 2 } as Record<string, number>;

let dataDir: string;
let database: TestDatabase;
let service: Service;
let browser: Browser;
let doubled: string;
let where: { pool: TestDatabase["pool"]; blobsDir: string; clientId: string };

beforeAll(async () => {
  dataDir = await makeTempDir("default-mix");
  database = await openTestDatabase();
  [service, browser] = await Promise.all([
    startService({
      dataDir,
      command: ["npm", "run", "--silent", "api"],
      environment: { DATABASE_URL: database.url },
    }),
    openBrowser(),
  ]);
  const clientId = (await findFirstClientId(database.db)) ?? "";
  where = { pool: database.pool, blobsDir: join(dataDir, "blobs"), clientId };
  doubled = await addTask(DOUBLED);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

const addTask = async (models: readonly string[]) => (await addMixerTask(where, { pages: 1, models })).id;

async function openMixer(id: string, view = VIEWS[2]) {
  const opened = await openPage(browser, { ...(view ? { view } : {}), baseURL: service.address });
  await signInOwner(opened.context, service);
  await opened.page.addInitScript({ content: TAP });
  await opened.page.goto(`/app/tasks/${id}`);
  await opened.page.getByRole("button", { name: "Play", exact: true }).waitFor();
  return opened;
}

/** Ten seconds, saved in the page as floats. */
async function readMix(page: Awaited<ReturnType<typeof openMixer>>["page"]): Promise<Float32Array> {
  await page.getByRole("button", { name: "Loop", exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save the loop as wav" }).click(),
  ]);
  const bytes = await readFile(await download.path());
  return new Float32Array(new Uint8Array(bytes.subarray(WAV_HEADER_BYTES)).buffer);
}

/** The level of the difference to the song that the Task repeats, relative to it. */
function measureDifferenceDb(mix: Float32Array): number {
  const [left, right] = makeMixerSong();
  const frames = left?.length ?? 0;
  let [power, difference] = [0, 0];
  for (let n = 0; n < mix.length; n++) {
    const song = (n % 2 === 0 ? left : right)?.[(n >> 1) % frames] ?? 0;
    power += song * song;
    difference += ((mix[n] ?? 0) - song) ** 2;
  }
  return 10 * Math.log10(difference / power);
}

describe("the mix a Task opens with", () => {
  it.each(PRESETS.filter(({ id }) => id in WHOLE))(
    "[PV9] of the preset $name is the input",
    async ({ id, models }) => {
      const { page, context, complaints } = await openMixer(
        await addTask(models.filter((model) => model !== "transcription")),
      );
      expect(measureDifferenceDb(await readMix(page))).toBeLessThan(-60);
      expect(await page.locator(".mixer-track:not([data-silent])").count()).toBe(WHOLE[id]);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it("[PV9] has no sound twice: what others contain starts muted and says so", async () => {
    for (const view of VIEWS) {
      const { page, context, complaints } = await openMixer(doubled, view);
      await page.getByText("already in Drums, Bass, Other").waitFor();
      const mute = page.getByRole("button", { name: "Mute Instrumental" });
      expect(await mute.getAttribute("aria-pressed")).toBe("true");
      await page.locator(".waveform canvas").first().waitFor();
      await screenshot(page, "default-mix", view);
      expect(await listViolations(page)).toEqual([]);
      if (view === VIEWS[2]) expect(measureDifferenceDb(await readMix(page))).toBeLessThan(-60);
      expect(complaints).toEqual([]);
      await context.close();
    }
  });

  it("[PV12] is found again as it was left: after another tab, a reload, and by its link elsewhere", async () => {
    const { page, context } = await openMixer(doubled);
    await page.getByLabel("Gain of Bass in dB").fill("-6");
    await page.getByRole("button", { name: "Solo Drums" }).click();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: "Loop", exact: true }).click();
    await page.getByRole("button", { name: "Zoom in" }).click();
    const read = async (at: Page) => [
      await at.getByLabel("Gain of Bass in dB").inputValue(),
      await at.getByRole("button", { name: "Solo Drums" }).getAttribute("aria-pressed"),
      await at.getByRole("button", { name: "Loop", exact: true }).getAttribute("aria-pressed"),
      await at.locator(".mixer-clock").textContent(),
      await at.getByLabel("Range of the recording that is shown").count(),
    ];
    const before = await read(page);
    expect(before.slice(0, 3)).toEqual(["-6", "true", "true"]);
    expect(before[3]).toMatch(/^0:05/);
    await page.getByRole("tab", { name: "Outputs" }).click();
    await page.getByRole("tab", { name: "Mixer" }).click();
    await expect.poll(() => read(page)).toEqual(before);
    await page.reload();
    await expect.poll(() => read(page)).toEqual(before);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Link to this mix" }).click();
    await page.getByText("The link is copied").waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    const other = await openPage(browser, { baseURL: service.address });
    await signInOwner(other.context, service);
    await other.page.goto(link);
    await expect.poll(() => read(other.page)).toEqual(before);
    await other.context.close();
    await context.close();
  });

  it("[PV9] is limited when it is made too loud, and shows its peak", async () => {
    const { page, context } = await openMixer(doubled);
    await page.getByRole("button", { name: "Mute Instrumental" }).click();
    for (const name of ["Vocals", "Drums", "Bass", "Other", "Instrumental"])
      await page.getByLabel(`Gain of ${name} in dB`).fill("12");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(() => page.getByTestId("peak").textContent()).toMatch(/^clips \+\d/);
    await expect.poll(async () => (await readTap(page)).frames).toBeGreaterThan(100_000);
    expect((await readTap(page)).peak).toBeLessThanOrEqual(1);
    expect((await readTap(page)).peak).toBeGreaterThan(0.5);
    await page.getByTestId("peak").click();
    await page.getByRole("button", { name: "Mute Instrumental" }).click();
    for (const name of ["Vocals", "Drums", "Bass", "Other", "Instrumental"])
      await page.getByLabel(`Gain of ${name} in dB`).fill("-20");
    await expect.poll(() => page.getByTestId("peak").textContent()).toMatch(/^peak -\d/);
    await context.close();
  });
});
