import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Asset } from "@stemwright/contract";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import {
  listViolations,
  measureWidth,
  openBrowser,
  openPage,
  screenshot,
  VIEWS,
} from "../support/browser.ts";
import { type Service, startService } from "../support/service.ts";
import { signInOwner } from "../support/sign-in-owner.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const RATE_HZ = 44_100;
/** The network takes seconds per segment, and the machine may be busy. */
const TASK_TIMEOUT_MS = 240_000;

/** Opens a page as the owner of the first account. */
async function openSignedIn(page: Page, service: Service, path: string): Promise<void> {
  await signInOwner(page.context(), service);
  await page.goto(path);
}

describe("working with the dashboard", () => {
  let dataDir: string;
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  const fileOf = (name: string) => join(dataDir, name);
  beforeAll(async () => {
    dataDir = await makeTempDir("playground");
    [service, browser] = await Promise.all([
      startService({ dataDir: join(dataDir, "service") }),
      openBrowser(),
    ]);
    const tone = toWav(makeTone({ sampleRateHz: RATE_HZ, channels: 2, lengthFrames: RATE_HZ }));
    for (const name of ["Song one.wav", "Song two.wav"]) await writeFile(fileOf(name), tone);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    ({ context, page, complaints } = await openPage(browser, { baseURL: service.address }));
  });
  afterEach(async () => {
    expect(complaints).toEqual([]);
    await context.close();
  });
  const open = (path: string) => openSignedIn(page, service, path);
  const choose = (...names: string[]) =>
    page.getByLabel("Files", { exact: true }).setInputFiles(names.map(fileOf));

  it("[PG6] offers models this installation has a network for; the others are only listed", async () => {
    await open("/app/playground");
    await page.getByRole("checkbox", { name: /^Acoustic guitar/ }).waitFor();
    expect(await page.getByRole("checkbox", { name: /^Lead vocals/ }).count()).toBe(0);
    await page.goto("/app/models");
    const lead = page.locator("#model-vocals_lead");
    await lead.getByText("Not available").waitFor();
    expect(await lead.getByRole("link").count()).toBe(0);
  });

  it("[PG5] [PG6] a file is chosen, estimated, run, followed, played and downloaded", async () => {
    await open("/app/playground?m=drums&audio=mp3");
    await choose("Song one.wav");
    await page.getByText("1 credit for 0:01").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("heading", { name: "Song one.wav" }).waitFor();
    await page.getByRole("progressbar").first().waitFor();
    await page.getByRole("tab", { name: "Outputs" }).click();
    await page.getByRole("link", { name: "Download drums.mp3" }).waitFor({ timeout: TASK_TIMEOUT_MS });
    await page.getByText("Done").first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download drums.mp3" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("Song one - drums.mp3");
    expect((await readFile(await download.path())).length).toBeGreaterThan(1000);
    const seconds = await page.locator("audio").evaluate(async (element) => {
      const audio = element as unknown as {
        load(): void;
        duration: number;
        onloadedmetadata: () => void;
        preload: string;
      };
      audio.preload = "metadata";
      await new Promise<void>((resolve) => {
        audio.onloadedmetadata = resolve;
        audio.load();
      });
      return audio.duration;
    });
    expect(seconds).toBeCloseTo(1, 0);
  });

  it("[PG9] a large upload resumes after failures, with Try again, and after a reload with the same file", async () => {
    const long = toWav(makeTone({ sampleRateHz: RATE_HZ, channels: 2, lengthFrames: 115 * RATE_HZ }));
    await writeFile(fileOf("Long song.wav"), long);
    const offsets: string[] = [];
    let mode: "pass" | "refuse" | "hold" = "refuse";
    await page.route("**/uploads/*", async (route) => {
      const call = route.request();
      if (call.method() !== "PATCH") return await route.fallback();
      offsets.push(call.headers()["upload-offset"] ?? "");
      const isFirst = offsets.at(-1) === "0";
      if (isFirst && offsets.length === 1) return await route.abort();
      if (isFirst || mode === "pass") return await route.fallback();
      if (mode === "refuse")
        return await route.fulfill({ status: 403, json: { code: "X", message: "No more" } });
    });
    await open("/app/playground?m=drums&audio=mp3");
    await choose("Long song.wav");
    await page.getByText("No more").waitFor();
    mode = "hold";
    await page.getByRole("button", { name: "Try again to upload Long song.wav" }).click();
    await expect.poll(() => offsets.length).toBe(4);
    await page.goto("/app/assets");
    await page.getByText("16.8 MB of 40.6 MB").waitFor();
    mode = "pass";
    await page.goto("/app/playground?m=drums&audio=mp3");
    await choose("Long song.wav");
    await page.getByText("for 1:55").waitFor();
    const piece = String(16 * 1024 ** 2);
    expect(offsets).toEqual(["0", "0", piece, piece, piece, String(32 * 1024 ** 2)]);
    const [asset] = (await (await service.call("/assets")).json()) as Asset[];
    expect(asset).toMatchObject({ name: "Long song.wav", size: long.length });
    complaints = complaints.filter((text) => !/ERR_FAILED|403/.test(text));
  });

  it("[PG9] unfinished uploads are listed and deleted", async () => {
    const headers = { "upload-length": "1000", "upload-metadata": `filename ${btoa("half.wav")}` };
    await service.call("/uploads", { method: "POST", headers });
    await open("/app/assets");
    await page.getByRole("heading", { name: "Unfinished uploads" }).waitFor();
    expect(await listViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete the upload of half.wav" }).click();
    await page.getByText("The upload of half.wav is deleted.").waitFor();
    await page.getByRole("heading", { name: "Unfinished uploads" }).waitFor({ state: "detached" });
    expect(await (await service.call("/uploads")).json()).toEqual([]);
  });

  it("[PG5] Tasks can be found, cancelled, run again and deleted", async () => {
    const { id: assetId } = await service.upload(await readFile(fileOf("Song two.wav")), "Waltz.wav");
    const task = await service.createTask({ assetId, targets: [{ model: "bass", formats: ["wav"] }] });
    await service.call(`/tasks/${task.id}/cancel`, { method: "POST" });
    await open("/app/tasks");
    await page.getByLabel("Search Tasks").fill("waltz");
    await expect.poll(() => page.url()).toContain("search=waltz");
    await expect.poll(() => page.locator(".task-row").count()).toBe(1);
    await page.getByLabel("Created from").fill("9999-12-31");
    await page.getByText("No Task matches").waitFor();
    await page.getByLabel("Created from").fill("2020-01-31");
    await page.goto("/app/assets");
    await page.getByLabel("Search files").fill("walt");
    await expect.poll(() => page.locator(".asset-name").allTextContents()).toEqual(["Waltz.wav"]);
    await page.goBack();
    await expect.poll(() => page.getByLabel("Created from").inputValue()).toBe("2020-01-31");
    await page.getByRole("link", { name: "Waltz.wav" }).click();
    await page.getByText("Cancelled").first().waitFor();
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled").first().waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the Task" }).click();
    await page.getByRole("heading", { name: "Tasks" }).waitFor();
    expect(await (await service.call("/tasks?search=waltz")).json()).toMatchObject([{ id: task.id }]);
  });

  it("[PG6] a music analysis has a tab with tempo, key and chords", async () => {
    await open("/app/playground?m=music_analysis&text=json,mid,click,lab,csv");
    await choose("Song one.wav");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByRole("tab", { name: "Music" }).click({ timeout: TASK_TIMEOUT_MS });
    await page.getByText("Time signature").waitFor();
    await page.getByText("LUFS").waitFor();
    expect(await listViolations(page)).toEqual([]);
    await page
      .getByRole("tab", { name: "Files" })
      .or(page.getByRole("tab", { name: "Outputs" }))
      .click();
    await page.getByRole("link", { name: "Download music_analysis.click.wav" }).waitFor();
  });

  it("[PG6] several files are a batch with a common progress", async () => {
    await open("/app/playground?m=music_detection&text=txt");
    await choose("Song one.wav", "Song two.wav");
    await page.getByRole("button", { name: "Run 2 Tasks" }).click();
    await page.getByRole("heading", { name: "2 files" }).waitFor();
    expect(await page.locator(".task-row").count()).toBe(2);
    await page.getByText("2 of 2 finished").waitFor({ timeout: TASK_TIMEOUT_MS });
    const search = new URL(page.url()).searchParams.get("search") ?? "";
    const count = async () =>
      (await service.call(`/tasks?search=${encodeURIComponent(search)}`)).headers.get("x-total-count");
    expect(await count()).toBe("2");
    await page.getByRole("button", { name: "Delete all" }).click();
    await page.getByRole("button", { name: "Delete 2 Tasks" }).click();
    await page.getByText("2 Tasks deleted").waitFor();
    expect(await count()).toBe("0");
  });

  it("[PG6] a batch is cancelled together, and cancelled Tasks are retried together", async () => {
    await open("/app/playground?m=vocals&audio=wav");
    await choose("Song one.wav", "Song two.wav");
    await page.getByRole("button", { name: "Run 2 Tasks" }).click();
    await page.getByRole("button", { name: "Cancel the rest" }).click();
    await page.getByText(/(1 Task|2 Tasks) cancelled/).waitFor();
    await page.getByRole("button", { name: "Retry failed targets" }).click();
    await page.getByText(/(1 Task|2 Tasks) created again/).waitFor();
    // A new Task is listed before the one it replaces is gone.
    await expect.poll(() => page.locator(".task-row").count()).toBe(2);
    await page.getByText("2 of 2 finished").waitFor({ timeout: TASK_TIMEOUT_MS });
    expect(await page.getByRole("button", { name: "Retry failed targets" }).count()).toBe(0);
  });

  it("[PG6] a file that can't be read is named, and the rest of the batch runs", async () => {
    await writeFile(fileOf("Broken.wav"), "no sound at all");
    await open("/app/playground?m=drums&audio=mp3");
    await choose("Song one.wav", "Broken.wav", "Song two.wav");
    await page.getByText("A file can’t be used; the others run without it.").waitFor();
    await page.locator(".notice").getByText("Broken.wav").waitFor();
    for (const view of VIEWS) {
      await page.setViewportSize({ width: view.width, height: 900 });
      await page.emulateMedia({ colorScheme: view.theme });
      await screenshot(page, "broken-file", view);
      expect(await listViolations(page)).toEqual([]);
    }
    await page.getByRole("button", { name: "Run 2 Tasks" }).click();
    await page.getByText("2 Tasks created. Left out: Broken.wav.").waitFor();
    await page
      .getByRole("button", { name: "Cancel what is left" })
      .or(page.locator(".task-row"))
      .first()
      .waitFor();
  });

  it("[PG6] the address keeps the choice, and a preset changes it", async () => {
    await open("/app/playground");
    await page.getByRole("button", { name: /^Subtitles/ }).click();
    await page.getByLabel("Language", { exact: true }).selectOption("de");
    await expect.poll(() => page.url()).toContain("m=transcription&audio=wav&text=srt%2Cvtt&language=de");
    await page.reload();
    expect(await page.getByLabel("Language", { exact: true }).inputValue()).toBe("de");
    await page.getByRole("tab", { name: "CLI" }).click();
    await page
      .getByText(`stemwright transcribe song.mp3 --format srt,vtt --language de --server ${service.address}`)
      .waitFor();
  });

  it("[PG6] [VO4] the preset for interviews turns speakers on, and all options of words have a control", async () => {
    await open("/app/playground");
    await page.getByRole("button", { name: /^Interview/ }).click();
    expect(await page.getByLabel("Speakers", { exact: true }).inputValue()).toBe("any");
    expect(await page.getByLabel("Name the speakers").isChecked()).toBe(true);
    await page.getByLabel("Speakers", { exact: true }).selectOption("2");
    await page.getByLabel("Translate into English").check();
    await page.getByLabel("Letters of a subtitle").fill("32");
    await page.getByLabel("Rows of a subtitle").selectOption("1");
    await page.getByLabel("Names and terms").fill("Siobhan, PostgreSQL");
    await page.getByLabel("A text before it").fill("A talk about databases.");
    await page.getByRole("tab", { name: "curl" }).click();
    const code = page.locator(".code", { hasText: "/tasks" });
    const wanted =
      '"model": "transcription", "formats": ["txt", "json"], "speakers": 2, "speakerNames": true, ' +
      '"keywords": ["Siobhan", "PostgreSQL"], "prompt": "A talk about databases.", "translate": true, ' +
      '"maxLineLength": 32, "maxLines": 1';
    await expect.poll(() => code.textContent()).toContain(wanted);
    await page.reload();
    await expect.poll(() => code.textContent()).toContain(wanted);
    for (const view of VIEWS) {
      await page.setViewportSize({ width: view.width, height: 900 });
      await page.emulateMedia({ colorScheme: view.theme });
      await screenshot(page, "playground-words", view);
      expect(await listViolations(page)).toEqual([]);
      expect(await measureWidth(page)).toBeLessThanOrEqual(view.width);
    }
  });

  it("[PG6] files are dropped anywhere on the page, and a text into its field", async () => {
    await open("/app/playground?m=alignment");
    await page.getByLabel("Text to align").waitFor();
    const drop = (selector: string, name: string) =>
      page.locator(selector).evaluate((element, fileName) => {
        const { DataTransfer, DragEvent, File } = globalThis as unknown as Record<
          string,
          new (
            ...parts: unknown[]
          ) => Event & { items: { add(file: unknown): void } }
        >;
        if (!DataTransfer || !DragEvent || !File) throw new Error("This browser has no drag and drop");
        const dataTransfer = new DataTransfer();
        // As what is dragged out of another page: no entry of a file system belongs to it.
        dataTransfer.items.add(new File(["Words of a song"], fileName));
        for (const type of ["dragover", "drop"])
          element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      }, name);
    await drop("h1", "Song three.mp3");
    await page.locator(".upload-name").getByText("Song three.mp3").waitFor();
    await drop("textarea:not([maxlength])", "words.txt");
    await expect.poll(() => page.getByLabel("Text to align").inputValue()).toBe("Words of a song");
    expect(await page.locator(".upload-name").count()).toBe(1);
    expect(await page.getByText("neither audio nor video").count()).toBe(0);
  });

  it("[PG6] the microphone is recorded and uploaded", async () => {
    await open("/app/playground");
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByRole("button", { name: /Stop \(0:01\)/ }).click();
    await page
      .locator(".upload-name")
      .getByText(/^Recording .*\.webm$/)
      .waitFor();
    const loadNewest = async () => ((await (await service.call("/assets")).json()) as Asset[])[0];
    await expect.poll(async () => (await loadNewest())?.format).toBe("webm");
  });

  it("[PG2] the keyboard alone reaches the content, a dialog, and returns", async () => {
    await open("/app/assets");
    await page
      .getByRole("button", { name: /^Delete Song one/ })
      .first()
      .waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("MAIN");
    const remove = page.getByRole("button", { name: /^Delete Song one/ }).first();
    await remove.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Delete this file?" }).waitFor();
    expect(await listViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toMatch(
      /^Delete Song one/,
    );
  });
});
