import { expect, it, onTestFinished } from "vitest";
import { openDashboard } from "../../packages/server/start/open-dashboard.ts";
import { openBrowser, openPage, skipWithoutBrowser } from "../support/browser.ts";
import { startReverseProxy } from "../support/reverse-proxy.ts";
import { startTestApi } from "../support/test-api.ts";

it.skipIf(skipWithoutBrowser())(
  "[PG1] [PG4] the dashboard works under a sub-path, from any of its addresses",
  async () => {
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
    const { page, complaints } = await openPage(browser, { baseURL: proxy.baseUrl });
    for (const path of ["/", "/app", "/app/tasks/some-id"]) {
      await page.goto(proxy.baseUrl + path);
      await page.getByText("Nobody has signed in here yet").waitFor();
    }
    expect(new URL(page.url()).pathname).toBe("/audio/stems/app/tasks/some-id");
    expect(complaints).toEqual([]);
  },
);
