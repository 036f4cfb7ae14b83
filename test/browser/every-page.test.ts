import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NewInvitation, NewShare } from "@stemwright/contract";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import {
  listViolations,
  measureWidth,
  openBrowser,
  openPage,
  screenshot,
  VIEWS,
} from "../support/browser.ts";
import { listFocusFaults } from "../support/list-focus-faults.ts";
import { type Service, startService } from "../support/service.ts";
import { callForCookie, OWNER, readSignInLink } from "../support/sign-in-owner.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const ROUTES = "../../packages/dashboard/shell/routes.ts";

type Shown = {
  /** Appended to the route's path, or used instead of it. */
  address?: () => string;
  heading: string | RegExp;
  /** The visitor; signed in by default. */
  as?: "nobody" | "newcomer";
  tabs?: readonly string[];
};

let dataDir: string;
let service: Service;
let browser: Browser;
let taskId: string;
let clientId: string;
let shareUrl: string;
let invitationUrl: string;
/** The session cookie before and after a password was chosen. */
const cookies = { newcomer: "", owner: "" };

const PAGES: Record<string, Shown> = {
  "app/sign-in": { heading: "Sign in", as: "nobody" },
  "app/invitation": { heading: "Join First account", as: "nobody", address: () => invitationUrl },
  "app/welcome": { heading: "Welcome", as: "newcomer" },
  "app/playground": { heading: "Playground" },
  "app/share": { heading: "Vocals", as: "nobody", address: () => shareUrl },
  "app/tasks": { heading: "Tasks" },
  "app/tasks/:id": {
    heading: "Song.wav",
    address: () => `app/tasks/${taskId}`,
    tabs: ["Mixer", "Outputs", "Details"],
  },
  "app/assets": { heading: "Assets" },
  "app/models": { heading: "Models" },
  "app/usage": { heading: "Usage" },
  "app/people": { heading: "People" },
  "app/settings/keys": { heading: "API keys" },
  "app/settings/webhook": { heading: "Webhook URL" },
  "app/settings/storage": { heading: "Storage" },
  "app/settings/profile": { heading: "Profile" },
  "app/settings/sessions": { heading: "Sessions" },
  "app/admin/clients": { heading: "Clients" },
  "app/admin/clients/:id": {
    heading: "First account",
    address: () => `app/admin/clients/${clientId}`,
    tabs: ["Terms", "Models and rates", "Credits", "Keys"],
  },
  "app/admin/operation": { heading: "Operation" },
};
/** Addresses of things that do not exist. */
const MISSING: Record<string, Shown> = {
  "app/invitation": {
    heading: "This invitation does not work",
    as: "nobody",
    address: () => "app/invitation#token",
  },
  "app/nothing": { heading: "Page not found" },
  "app/tasks/none": { heading: "Task not found" },
  "app/admin/clients/none": { heading: "Client not found" },
};

beforeAll(async () => {
  dataDir = await makeTempDir("every-page");
  [service, browser] = await Promise.all([
    startService({ dataDir, environment: { WORKERS: "0" } }),
    openBrowser(),
  ]);
  const [, token] = (await readSignInLink(service)).split("#");
  cookies.newcomer = await callForCookie(service, "/account/sign-in/link", {
    method: "POST",
    body: JSON.stringify({ token }),
  });
  const song = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 }));
  const { id: assetId } = await service.upload(song, "Song.wav");
  ({ id: taskId, clientId } = await service.createTask({
    assetId,
    targets: [{ model: "vocals", formats: ["wav"] }],
  }));
  const invitation = await service.call("/account/invitations", {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  invitationUrl = ((await invitation.json()) as NewInvitation).url.slice(service.address.length + 1);
  const share = await service.call(`/tasks/${taskId}/shares`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  shareUrl = ((await share.json()) as NewShare).url.slice(service.address.length + 1);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const waitUntilLoaded = async (page: Page) => {
  await expect.poll(() => page.getByRole("status", { name: "Loading" }).count()).toBe(0);
  await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
};

/** Chooses a password, once; then the newcomer's pages are gone. */
async function becomeOwner(): Promise<string> {
  cookies.owner ||= await callForCookie(service, "/account/me", {
    method: "PATCH",
    headers: { cookie: cookies.newcomer },
    body: JSON.stringify(OWNER),
  });
  return cookies.owner;
}

async function signIn(context: BrowserContext, cookie: string): Promise<void> {
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: service.address, httpOnly: true, sameSite: "Lax" }]);
}

async function look(view: (typeof VIEWS)[number], pages: [string, Shown][], cookie: string): Promise<void> {
  const { page, context, complaints } = await openPage(browser, { view, baseURL: service.address });
  if (cookie !== "") await signIn(context, cookie);
  const check = async (what: string) => {
    await screenshot(page, what.replaceAll(/\W+/g, "-"), view);
    expect(await listViolations(page), what).toEqual([]);
    expect(await measureWidth(page), what).toBeLessThanOrEqual(view.width);
    // The order and the ring are the same in both themes.
    if (view.theme === "light") expect(await listFocusFaults(page), what).toEqual([]);
  };
  for (const [path, { address = () => path, heading, tabs = [] }] of pages) {
    await page.goto("about:blank");
    const response = await page.goto(`/${address()}`);
    const policy = response?.headers()["content-security-policy"] ?? "";
    expect(policy, path).toContain("default-src 'none'");
    expect(policy, path).not.toMatch(/unsafe|\*|https?:|data:/);
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
    await waitUntilLoaded(page);
    await check(path);
    for (const tab of tabs) {
      await page.getByRole("tab", { name: tab }).click();
      await waitUntilLoaded(page);
      await check(`${path} ${tab}`);
    }
  }
  expect(complaints).toEqual([]);
  await context.close();
}

const listPages = (as: Shown["as"]) =>
  Object.entries({ ...PAGES, ...MISSING }).filter(([, shown]) => shown.as === as);

describe("every page", () => {
  it("[PG2] is covered by this test", async () => {
    const source = await readFile(join(import.meta.dirname, ROUTES), "utf8");
    const known = [...source.matchAll(/\bpath: "([^"]+)"/g)].map(([, path]) => path ?? "");
    expect(Object.keys(PAGES).toSorted()).toEqual(known.toSorted());
  });

  it.each(VIEWS)("[PG2] for somebody new is accessible, fits and is safe at $width px, $theme", (view) =>
    look(view, listPages("newcomer"), cookies.newcomer),
  );

  it.each(VIEWS)("[PG2] is accessible, fits and is safe at $width px, $theme", async (view) => {
    await look(view, listPages(undefined), await becomeOwner());
    await look(view, listPages("nobody"), "");
  });

  it("[PG2] a dialog gives the focus back, after its second step, too", async () => {
    const { page, context } = await openPage(browser, { baseURL: service.address });
    await signIn(context, await becomeOwner());
    await page.goto("/app/settings/keys");
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    const opener = page.getByRole("button", { name: "New key" });
    await opener.focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Name").pressSequentially("Laptop");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "“Laptop” is ready" }).waitFor();
    await expect.poll(focused).toMatch(/^sw_/);
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe("New key");
    await context.close();
  });
});
