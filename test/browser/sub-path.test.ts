import { expect, it, onTestFinished } from "vitest";
import { openDashboard } from "../../packages/server/start/open-dashboard.ts";
import { openBrowser, openPage, skipWithoutBrowser } from "../support/browser.ts";
import { startReverseProxy } from "../support/reverse-proxy.ts";
import { startTestApi } from "../support/test-api.ts";

/** The dashboard and the reference behind a proxy, and a page to open them in. */
async function openBehindProxy() {
  const proxy = await startReverseProxy("/audio/stems");
  const environment = { PORT: String(proxy.port), PUBLIC_BASE_URL: proxy.baseUrl };
  const [api, browser] = await Promise.all([
    startTestApi(environment, {}, undefined, await openDashboard()),
    openBrowser(),
  ]);
  onTestFinished(async () => {
    await browser.close();
    await api.close();
    await proxy.close();
  });
  return { ...(await openPage(browser, { baseURL: proxy.baseUrl })), api, proxy };
}

it.skipIf(skipWithoutBrowser())(
  "[PG1] [PG4] the dashboard works under a sub-path, from any of its addresses",
  async () => {
    const { page, complaints, proxy } = await openBehindProxy();
    for (const path of ["/", "/app", "/app/tasks/some-id"]) {
      await page.goto(proxy.baseUrl + path);
      await page.getByText("Nobody has signed in here yet").waitFor();
    }
    expect(new URL(page.url()).pathname).toBe("/audio/stems/app/tasks/some-id");
    expect(complaints).toEqual([]);
  },
);

it.skipIf(skipWithoutBrowser())(
  "[G7] the reference makes requests under its content security policy, and forgets the key",
  async () => {
    const { page, complaints, api, proxy } = await openBehindProxy();
    await page.goto(`${proxy.baseUrl}/docs`);
    await page.evaluate(`localStorage.setItem("authorized", "a key of an earlier release")`);
    await page.reload();
    await page.getByRole("button", { name: "Authorize" }).click();
    const dialog = page.locator(".modal-ux");
    await dialog.locator("form", { hasText: "x-api-key" }).getByRole("textbox").fill(api.account.key);
    await dialog.locator("form", { hasText: "x-api-key" }).getByRole("button", { name: "Apply" }).click();
    await dialog.locator(".close-modal").click();
    await page.locator("#operations-Assets-getAssets").getByRole("button").first().click();
    await page.getByRole("button", { name: "Execute" }).click();
    await page.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
    expect(await page.evaluate("localStorage.length")).toBe(0);
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    expect(complaints).toEqual([]);
  },
);
