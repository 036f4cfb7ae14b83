import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import chromiumPackage from "@sparticuz/chromium";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const SYSTEM_BROWSERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

export const FLAGS = [
  // Containers often forbid the namespaces of the browser's own sandbox; it opens only our own pages.
  "--no-sandbox",
  // Audio is rendered without a device, and there is a silent microphone.
  "--autoplay-policy=no-user-gesture-required",
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
];

const systemBrowser = SYSTEM_BROWSERS.find((each) => existsSync(each));

/** What to do for a browser on a machine that has none: the npm package that carries one is for x64 alone. */
const missingBrowser: string | undefined =
  process.arch === "x64" || systemBrowser !== undefined
    ? undefined
    : `Tests in a browser need Chromium. The npm package that carries one is for x64 alone, and this machine is ${process.arch}: ` +
      `install the system's, e.g. "apt install chromium" (looked for ${SYSTEM_BROWSERS.join(", ")})`;

/** The browser in an npm package for x64, else the system's own. */
export async function findBrowser(): Promise<string> {
  if (process.arch === "x64") return await chromiumPackage.executablePath();
  if (systemBrowser === undefined) throw new Error(missingBrowser);
  return systemBrowser;
}

/** Tells a test of `npm test`, which passes on a bare machine, to skip where there is no browser, and says what is missing. */
export function skipWithoutBrowser(): boolean {
  if (missingBrowser !== undefined) console.warn(`Skipped. ${missingBrowser}`);
  return missingBrowser !== undefined;
}

/** One browser per test file; each test opens its own contexts. `hosts` are names that the browser resolves to this machine. */
export async function openBrowser({ hosts = [] }: { hosts?: readonly string[] } = {}): Promise<Browser> {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(",");
  const args = rules === "" ? FLAGS : [...FLAGS, `--host-resolver-rules=${rules}`];
  return await chromium.launch({ executablePath: await findBrowser(), args });
}

export type View = { width: number; theme: "light" | "dark" };

/** Phone and desktop, light and dark. */
export const VIEWS: readonly View[] = [390, 1440].flatMap((width) =>
  (["light", "dark"] as const).map((theme) => ({ width, theme })),
);

export type WatchedPage = {
  page: Page;
  context: BrowserContext;
  /** Content security policy violations and uncaught errors. */
  complaints: string[];
};

/** A new visitor whose errors are recorded. */
export async function openPage(
  browser: Browser,
  options: { view?: View; baseURL: string },
): Promise<WatchedPage> {
  const { width, theme } = options.view ?? { width: 1440, theme: "light" };
  const context = await browser.newContext({
    baseURL: options.baseURL,
    viewport: { width, height: 900 },
    colorScheme: theme,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && /content security policy/i.test(message.text()))
      complaints.push(message.text());
  });
  return { page, context, complaints };
}

/** Saves a screenshot to the folder named by SCREENSHOTS. */
export async function screenshot(page: Page, name: string, { width, theme }: View): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: true });
}

/** The page's width, including what overflows the screen. */
export const measureWidth = (page: Page) => page.evaluate<number>("document.documentElement.scrollWidth");

/** axe-core's findings for the page; one line per kind of violation. */
export async function listViolations(page: Page): Promise<string[]> {
  // Not as a script element: the page's CSP allows none from elsewhere.
  await page.evaluate(await readFile(AXE, "utf8"));
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`,
    );
  });
}
