import { rm } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listViolations, measureWidth, openBrowser, openPage, VIEWS } from "../support/browser.ts";
import { SERVICE_KEY, type Service, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

describe("a browser that opens the service", () => {
  let dataDir: string;
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    dataDir = await makeTempDir("browser");
    [service, browser] = await Promise.all([
      startService({ dataDir, environment: { WORKERS: "0" } }),
      openBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it.each(VIEWS)("[PG1] [PG2] sees the dashboard at $width px, $theme, and can sign in", async (view) => {
    const { page, context, complaints } = await openPage(browser, { view, baseURL: service.address });
    await page.goto("/");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await listViolations(page)).toEqual([]);
    await page.getByLabel("API key").fill(SERVICE_KEY);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Playground" }).waitFor();
    expect(await listViolations(page)).toEqual([]);
    // Nothing is wider than the screen.
    expect(await measureWidth(page)).toBeLessThanOrEqual(view.width);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
