import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { findFirstClientId } from "../packages/server/db/accounts/client-rows.ts";
import { openDatabase } from "../packages/server/db/connection/open-database.ts";
import { startEmbeddedPostgres } from "../packages/server/db/embedded-postgres/embedded-postgres.ts";
import { openBrowser, openPage } from "../test/support/browser.ts";
import { addMixerLanes, addMixerTask } from "../test/support/mixer-task.ts";
import { type Service, startService } from "../test/support/service.ts";
import { getOwnerCookie, signInOwner } from "../test/support/sign-in-owner.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { describeRun } from "./machine.ts";
import {
  compareSeeks,
  openMixerIn,
  openTab,
  type Playback,
  playIn,
  readTab,
  seekAround,
  until,
  WATCH,
} from "./mixer-tab.ts";
import type { PlainTab } from "./plain-tab.ts";
import { percentile } from "./run-clients.ts";

/*
 * The mixer with a Task of three hours and six stems, in Chromium: time to waveforms, time from a seek to sound, and memory of the tab.
 * `npm run bench mixer -- [PAGES] [CHECKOUT]`, pages of 95 s each. Fails if a goal is missed. With another checkout of the project, seeks are compared
 * with it, too.
 */
const [pages = "114", otherCheckout] = process.argv.slice(2);
const RESULTS = join(import.meta.dirname, "results", "mixer.md");
const OPENINGS = 5;
const SEEKS = 40;
const GOALS = { waveformMs: 1000, seekMs: 1000, memoryMb: 300 };
const SAMPLE_MS = 100;

const readPlayback = (page: Page) => page.evaluate<Playback>("globalThis.playback");

/** The tab's peak memory during some work. */
async function withPeak(tab: PlainTab, work: () => Promise<void>): Promise<number> {
  let peak = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      peak = Math.max(peak, await tab.readMemoryMb());
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  await work().finally(() => {
    isOver = true;
  });
  await watching;
  return Math.max(peak, await tab.readMemoryMb());
}

async function openMixer(browser: Browser, service: Service, id: string) {
  const opened = await openPage(browser, { baseURL: service.address });
  await signInOwner(opened.context, service);
  await opened.page.addInitScript({ content: WATCH });
  await opened.page.goto(`/app/tasks/${id}`);
  await until(async () => (await readPlayback(opened.page)).waveformMs > 0);
  return opened;
}

/** From the address to the waveforms of all tracks, each time as a new visitor with an empty cache. */
async function measureOpenings(browser: Browser, service: Service, id: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < OPENINGS; n++) {
    const { page, context } = await openMixer(browser, service, id);
    times.push((await readPlayback(page)).waveformMs);
    await context.close();
  }
  return times;
}

async function measure(tab: PlainTab, service: Service, id: string) {
  const memory: [string, number][] = [["an empty tab", await tab.readMemoryMb()]];
  const note = async (what: string, work: () => Promise<void>) => {
    memory.push([what, await withPeak(tab, work)]);
    console.log(`${what}: ${Math.round(memory.at(-1)?.[1] ?? 0)} MB at most`);
  };
  await note("waveforms drawn", async () => {
    await openMixerIn(tab, `${service.address}/app/tasks/${id}`, await getOwnerCookie(service));
  });
  let seeks: number[] = [];
  await note(`${SEEKS} seeks all over the recording while it plays`, async () => {
    await playIn(tab);
    await seekAround(tab, SEEKS, 0.1);
    seeks = (await readTab(tab)).afterMs;
  });
  await note("a minute of playing", () => new Promise((resolve) => setTimeout(resolve, 60_000)));
  let spectrogramMs = 0;
  await note("spectrograms of the whole, and zoomed in to a minute", async () => {
    const clickedMs = await tab.evaluate<number>("performance.now()");
    await tab.press("Spectrograms");
    await until(async () => (await readTab(tab)).spectrogramMs > 0);
    spectrogramMs = (await readTab(tab)).spectrogramMs - clickedMs;
    for (let n = 0; n < 7; n++) await tab.type("+");
    await seekAround(tab, 3, 0.3);
  });
  const state = await tab.evaluate<string>(`document.querySelector(".mixer-transport button").textContent`);
  if (state.trim() !== "Pause") throw new Error("the mixer stopped playing");
  return { seeks, spectrogramMs, memory };
}

/** One column per checkout. */
function describeComparison(compared: readonly number[][], otherCheckout: string): string[] {
  const commit = execFileSync("git", ["-C", otherCheckout, "rev-parse", "--short=12", "HEAD"], {
    encoding: "utf8",
  });
  const row = (what: string, share: number) => {
    const cells = compared.map((times) => `${Math.round(percentile(times.toSorted(byValue), share))} ms`);
    return `| ${what} | ${cells.join(" | ")} |`;
  };
  return [
    "",
    `Seeks compared with commit ${commit.trim()}: ${compared[0]?.length} in each, in turns of a few, with the same recording, database and machine.`,
    "",
    "| from a seek to its sound | before | now |",
    "|---|---:|---:|",
    row("median", 0.5),
    row("95 %", 0.95),
    row("slowest", 1),
  ];
}

const byValue = (a: number, b: number) => a - b;
const run = describeRun();
const dataDir = await makeTempDir("bench-mixer");
const postgres = await startEmbeddedPostgres({ dataDir });
const { db, pool } = openDatabase({ connectionString: postgres.connectionString, maxConnections: 2 });
let service: Service | undefined;
let other: Service | undefined;
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
  const tab = await openTab();
  const { seeks, spectrogramMs, memory } = await measure(tab, service, task.id).finally(() => tab.close());
  let compared: number[][] = [];
  if (otherCheckout !== undefined) {
    other = await startService({ dataDir, command, environment, projectDir: resolve(otherCheckout) });
    const urls = [other, service].map(({ address }) => `${address}/app/tasks/${task.id}`);
    // Both use the same database, so the session is valid for both.
    compared = await compareSeeks(urls, await getOwnerCookie(service));
  }
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
    `the machine. Each of ${OPENINGS} openings is a new visitor with nothing stored; ${SEEKS} seeks go all over the recording. \`npm run bench mixer\`.`,
    "",
    "| what | measured | goal |",
    "|---|---:|---:|",
    ...rows.map(
      ([what, value, goal, unit]) => `| ${what} | ${Math.round(value)} ${unit} | ${goal} ${unit} |`,
    ),
    `| from the click to spectrograms of the whole | ${Math.round(spectrogramMs)} ms | |`,
    "",
    "Sound counts from the pointer's click to the moment the context renders its first sample. Memory is the renderer's own (anonymous and swapped), as",
    "Chromium's task manager counts it, in a tab without developer tools: those that test drivers turn on keep up to 200 MB of responses in it.",
    "",
    "| while | MB at most |",
    "|---|---:|",
    ...memory.map(([what, megabytes]) => `| ${what} | ${Math.round(megabytes)} |`),
    ...(otherCheckout === undefined ? [] : describeComparison(compared, resolve(otherCheckout))),
  ];
  console.log(lines.join("\n"));
  await writeFile(RESULTS, `${lines.join("\n")}\n`);
  if (rows.some(([, value, goal]) => value > goal)) process.exitCode = 1;
} finally {
  await browser?.close();
  await other?.stop();
  await service?.stop();
  await db.destroy();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
