import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { findFirstClientId } from "../packages/server/db/accounts/client-rows.ts";
import { openDatabase } from "../packages/server/db/database.ts";
import { startEmbeddedPostgres } from "../packages/server/db/embedded-postgres/embedded-postgres.ts";
import { openBrowser, openPage } from "../test/support/browser.ts";
import { addMixerLanes, addMixerTask } from "../test/support/mixer-task.ts";
import { type Service, startService } from "../test/support/service.ts";
import { signInOwner } from "../test/support/sign-in-owner.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { describeRun } from "./machine.ts";
import { percentile } from "./run-clients.ts";

/*
 * The mixer with a Task of three hours and six stems, in Chromium: how soon waveforms are drawn, how soon a seek is heard, and what
 * the tab takes of the memory. `npm run bench:mixer -- [PAGES]`, of 95 s each. Fails where a goal is missed.
 */
const [pages = "114"] = process.argv.slice(2);
const RESULTS = join(import.meta.dirname, "results", "mixer.md");
const OPENINGS = 5;
const SEEKS = 40;
const TRACKS = 7;
const GOALS = { waveformMs: 1000, seekMs: 1000, memoryMb: 300 };
const SAMPLE_MS = 100;

/** Notes when the first sound behind a click is rendered; runs in the page, before its own scripts. */
const WATCH = `
  const heard = globalThis.heard = { clickedMs: 0, afterMs: [], waveformMs: 0, spectrogramMs: 0 };
  addEventListener("pointerdown", () => { heard.clickedMs = performance.now(); }, true);
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (when, ...rest) {
    if (heard.clickedMs > 0) {
      const waitMs = 1000 * Math.max(0, when - this.context.currentTime);
      heard.afterMs.push(performance.now() + waitMs - heard.clickedMs);
      heard.clickedMs = 0;
    }
    return start.call(this, when, ...rest);
  };
  const look = () => {
    const tab = [...document.querySelectorAll("[role=tab]")].find(({ textContent }) => textContent === "Mixer");
    if (tab?.ariaSelected === "false") tab.click();
    for (const kind of ["waveform", "spectrogram"])
      if (heard[kind + "Ms"] === 0 && document.querySelectorAll("[data-drawn=" + kind + "]").length === ${TRACKS})
        heard[kind + "Ms"] = performance.now();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
`;
type Heard = { afterMs: number[]; waveformMs: number; spectrogramMs: number };
const readHeard = (page: Page) => page.evaluate<Heard>("globalThis.heard");

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** What belongs to the tab alone, as Chromium's own task manager counts it: memory that is neither a file nor shared. */
async function readTabMb(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const sizes = await Promise.all(
    processInfo
      .filter(({ type }) => type === "renderer")
      .map(async ({ id }) => {
        const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
        const read = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
        return (read("RssAnon") + read("VmSwap")) / 1024;
      }),
  );
  return Math.max(0, ...sizes);
}

/** The most that a tab has while something is done. */
async function withPeak(browser: Browser, work: () => Promise<void>): Promise<number> {
  let peak = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      peak = Math.max(peak, await readTabMb(browser));
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  await work().finally(() => {
    isOver = true;
  });
  await watching;
  return Math.max(peak, await readTabMb(browser));
}

async function openMixer(browser: Browser, service: Service, id: string) {
  const opened = await openPage(browser, { baseURL: service.address });
  await signInOwner(opened.context, service);
  await opened.page.addInitScript({ content: WATCH });
  await opened.page.goto(`/app/tasks/${id}`);
  await until(async () => (await readHeard(opened.page)).waveformMs > 0);
  return opened;
}

/** From the address to the waveforms of all tracks, each time as a new visitor whose browser has nothing stored. */
async function measureOpenings(browser: Browser, service: Service, id: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < OPENINGS; n++) {
    const { page, context } = await openMixer(browser, service, id);
    times.push((await readHeard(page)).waveformMs);
    await context.close();
  }
  return times;
}

async function clickAt(page: Page, share: number): Promise<void> {
  const box = await page.getByRole("button", { name: /^Timeline/ }).boundingBox();
  if (!box) throw new Error("there is no ruler");
  await page.mouse.click(box.x + share * box.width, box.y + 8);
}

async function seekAround(page: Page, count: number, offset: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { length } = (await readHeard(page)).afterMs;
    // The golden ratio never comes by the same place twice.
    await clickAt(page, 0.02 + 0.96 * ((offset + n * 0.618_034) % 1));
    await until(async () => (await readHeard(page)).afterMs.length > length);
  }
}

async function measure(browser: Browser, service: Service, id: string) {
  const { page, context } = await openMixer(browser, service, id);
  const memory: [string, number][] = [["waveforms drawn", await readTabMb(browser)]];
  const note = async (what: string, work: () => Promise<void>) => {
    memory.push([what, await withPeak(browser, work)]);
    console.log(`${what}: ${Math.round(memory.at(-1)?.[1] ?? 0)} MB at most`);
  };
  let seeks: number[] = [];
  await note(`${SEEKS} seeks all over the recording while it plays`, async () => {
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await until(async () => (await readHeard(page)).afterMs.length > 0);
    await seekAround(page, SEEKS, 0.1);
    seeks = (await readHeard(page)).afterMs.slice(1);
  });
  await note("a minute of playing", () => new Promise((resolve) => setTimeout(resolve, 60_000)));
  let spectrogramMs = 0;
  await note("spectrograms of the whole, and zoomed in to a minute", async () => {
    const clickedMs = await page.evaluate<number>("performance.now()");
    await page.getByRole("button", { name: "Spectrograms" }).click();
    await until(async () => (await readHeard(page)).spectrogramMs > 0);
    spectrogramMs = (await readHeard(page)).spectrogramMs - clickedMs;
    for (let n = 0; n < 7; n++) await page.keyboard.press("+");
    await seekAround(page, 3, 0.3);
  });
  const isHeard = await page.getByRole("button", { name: "Pause", exact: true }).count();
  if (isHeard !== 1) throw new Error("the mixer stopped playing");
  await context.close();
  return { seeks, spectrogramMs, memory };
}

const byValue = (a: number, b: number) => a - b;
const run = describeRun();
const dataDir = await makeTempDir("bench-mixer");
const postgres = await startEmbeddedPostgres({ dataDir });
const { db, pool } = openDatabase({ connectionString: postgres.connectionString, maxConnections: 2 });
let service: Service | undefined;
let browser: Browser | undefined;
try {
  const command: [string, ...string[]] = ["npm", "run", "--silent", "api"];
  const environment = { DATABASE_URL: postgres.connectionString };
  service = await startService({ dataDir, command, environment });
  browser = await openBrowser();
  const clientId = (await findFirstClientId(db)) ?? "";
  const where = { pool, blobsDir: join(dataDir, "blobs"), clientId };
  const task = await addMixerTask(where, { pages: Number(pages) });
  const { durationSeconds } = task;
  const openings = await measureOpenings(browser, service, task.id);
  console.log("opened", openings.map(Math.round).join(", "), "ms");
  await addMixerLanes(where, task);
  const { seeks, spectrogramMs, memory } = await measure(browser, service, task.id);
  const peakMb = Math.max(...memory.map(([, megabytes]) => megabytes));
  const rows: [string, number, number, string][] = [
    [
      "first waveform, all tracks, median of openings",
      percentile(openings.toSorted(byValue), 0.5),
      GOALS.waveformMs,
      "ms",
    ],
    ["first waveform, slowest", Math.max(...openings), GOALS.waveformMs, "ms"],
    ["from a seek to its sound, median", percentile(seeks.toSorted(byValue), 0.5), GOALS.seekMs, "ms"],
    ["from a seek to its sound, slowest", Math.max(...seeks), GOALS.seekMs, "ms"],
    ["memory of the tab, at its highest", peakMb, GOALS.memoryMb, "MB"],
  ];
  const lines = [
    "# The mixer with a long Task",
    "",
    ...run,
    "",
    `A Task of ${(durationSeconds / 3600).toFixed(2)} h at 44.1 kHz in stereo: the input and six stems; behind the first row also music regions, two voices and`,
    `${Math.floor(durationSeconds / 4) * 7} words. Previews by the engine's own writer, of a computed song that repeats. API, database and headless Chromium share`,
    `the machine. Each of ${OPENINGS} openings is a new visitor with nothing stored; ${SEEKS} seeks go all over the recording. \`npm run bench:mixer\`.`,
    "",
    "| what | measured | goal |",
    "|---|---:|---:|",
    ...rows.map(
      ([what, value, goal, unit]) => `| ${what} | ${Math.round(value)} ${unit} | ${goal} ${unit} |`,
    ),
    `| from the click to spectrograms of the whole | ${Math.round(spectrogramMs)} ms | |`,
    "",
    "Sound counts from the pointer's click to the moment the context renders its first sample. Memory is the renderer's own (anonymous and swapped), as",
    "Chromium's task manager counts it:",
    "",
    "| while | MB at most |",
    "|---|---:|",
    ...memory.map(([what, megabytes]) => `| ${what} | ${Math.round(megabytes)} |`),
  ];
  console.log(lines.join("\n"));
  await writeFile(RESULTS, `${lines.join("\n")}\n`);
  if (rows.some(([, value, goal]) => value > goal)) process.exitCode = 1;
} finally {
  await browser?.close();
  await service?.stop();
  await db.destroy();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
