import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFirstClientId } from "../../packages/server/db/accounts/client-rows.ts";
import { clearTap, makeHoldUp, readTap, TAP, type Tap } from "../support/audio-tap.ts";
import { openBrowser, openPage } from "../support/browser.ts";
import { addMixerTask } from "../support/mixer-task.ts";
import { type Service, startService } from "../support/service.ts";
import { signInOwner } from "../support/sign-in-owner.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "../support/test-database.ts";

const SEEKS = 12;
/** For seven tracks, longer than the lead time of a seek. */
const HOLD_MS = 12;
/** −90 dBFS. */
const NULL_PEAK = 10 ** (-90 / 20);

let dataDir: string;
let database: TestDatabase;
let service: Service;
let browser: Browser;
let id: string;
beforeAll(async () => {
  dataDir = await makeTempDir("seek");
  database = await openTestDatabase();
  const command: [string, ...string[]] = ["npm", "run", "--silent", "api"];
  const environment = { DATABASE_URL: database.url };
  [service, browser] = await Promise.all([startService({ dataDir, command, environment }), openBrowser()]);
  const clientId = (await findFirstClientId(database.db)) ?? "";
  const where = { pool: database.pool, blobsDir: join(dataDir, "blobs"), clientId };
  ({ id } = await addMixerTask(where, { pages: 1 }));
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe("a seek", () => {
  it("[PV9] stops and starts all tracks at one sample, even if the page is blocked between them", async () => {
    const { page, context, complaints } = await openPage(browser, { baseURL: service.address });
    await signInOwner(context, service);
    await page.addInitScript({ content: TAP });
    await page.addInitScript({ content: makeHoldUp(HOLD_MS) });
    await page.goto(`/app/tasks/${id}`);
    await page.getByRole("button", { name: "Null test" }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(async () => (await readTap(page)).starts).toBeGreaterThan(0);
    await clearTap(page);
    const ruler = await page.locator(".mixer-ruler-area").boundingBox();
    const { x, y, width } = ruler ?? { x: 0, y: 0, width: 1 };
    for (let seek = 0; seek < SEEKS; seek++) {
      const { starts, frames } = await readTap(page);
      await page.mouse.click(x + width * (0.02 + 0.9 * ((seek * 0.618) % 1)), y + 8);
      await expect
        .poll(() => readTap(page), { interval: 20 })
        .toSatisfy((tap: Tap) => tap.starts > starts && tap.frames >= frames + 16_384);
    }
    expect((await readTap(page)).peak).toBeLessThan(NULL_PEAK);
    await page.getByRole("button", { name: "Null test" }).click();
    await expect.poll(async () => (await readTap(page)).peak).toBeGreaterThan(0.01);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
