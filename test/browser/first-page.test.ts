import { rm } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  listViolations,
  measureWidth,
  openBrowser,
  openPage,
  skipWithoutBrowser,
  VIEWS,
} from "../support/browser.ts";
import { type Service, startService } from "../support/service.ts";
import { OWNER, readSignInLink } from "../support/sign-in-owner.ts";
import { makeTempDir } from "../support/temp-dir.ts";

describe.skipIf(skipWithoutBrowser())("a browser that opens the service", () => {
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
  const open = (view = VIEWS[0]) =>
    openPage(browser, { ...(view ? { view } : {}), baseURL: service.address });

  it("[PE2] says what to do before anybody has signed in", async () => {
    const { page, context } = await open();
    await page.goto("/");
    await page.getByText("Nobody has signed in here yet").waitFor();
    expect(await listViolations(page)).toEqual([]);
    await context.close();
  });

  it("[PE2] [PG2] signs in with the link of the first start, and chooses a password", async () => {
    const { page, context, complaints } = await open();
    const link = await readSignInLink(service);
    await page.goto(link);
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    expect(page.url()).not.toContain("#");
    expect(await listViolations(page)).toEqual([]);
    await page.getByLabel("Your name").fill(OWNER.name);
    await page.getByLabel("Email").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.keyboard.press("Enter");
    await page.locator("main.page h1").waitFor();
    await page.goto(link);
    await page.getByText("This link was used before").waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("[PE2] is told to sign in again before setting a first password, once the sign-in is too old", async () => {
    const { page, context } = await open();
    let needsPassword = true;
    await page.route("**/account/me", async (route) => {
      const response = await route.fetch();
      const known = await response.json();
      await route.fulfill({
        response,
        json: { ...known, needsPassword, hasPassword: false, mayResetPassword: false },
      });
    });
    await page.goto("/app/sign-in");
    await page.getByLabel("Email").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.keyboard.press("Enter");
    await page.locator("main.page h1").waitFor();
    await page.goto("/app/settings/profile");
    await page.getByRole("heading", { name: "This sign-in is too old" }).waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
    expect(await listViolations(page)).toEqual([]);
    needsPassword = false;
    await page.reload();
    await page.getByText("To set a password, sign in again first.").waitFor();
    expect(await page.getByLabel("Current password").count()).toBe(0);
    await page.getByLabel("Email").fill("another@example.com");
    await page.getByText("To change your email, sign in again first.").waitFor();
    expect(await listViolations(page)).toEqual([]);
    await context.close();
  });

  it.each(VIEWS)(
    "[PG1] [PG2] sees the dashboard at $width px, $theme, and can sign in and out",
    async (view) => {
      const { page, context, complaints } = await open(view);
      await page.goto("/");
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      expect(await listViolations(page)).toEqual([]);
      await page.getByLabel("Email").fill(OWNER.email);
      await page.getByLabel("Password").fill("not this one");
      await page.keyboard.press("Enter");
      await page.getByText("Email address or password is wrong.").waitFor();
      expect(await listViolations(page)).toEqual([]);
      await page.getByLabel("Password").fill(OWNER.password);
      await page.keyboard.press("Enter");
      await page.locator("main.page h1").waitFor();
      expect(await listViolations(page)).toEqual([]);
      // Nothing is wider than the screen.
      expect(await measureWidth(page)).toBeLessThanOrEqual(view.width);
      if (view.width < 900) await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
