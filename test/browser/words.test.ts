import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Task, Words } from "@stemwright/contract";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

const SPEECH = "../../packages/engine/transcription/support/english.opus";
const MANY_WORDS = 10_000;

describe("the words of a Task in a browser", () => {
  let dataDir: string;
  let service: Service;
  let browser: Browser;
  let task: Task;
  let path: string;
  beforeAll(async () => {
    dataDir = await makeTempDir("browser-words");
    [service, browser] = await Promise.all([
      startService({ dataDir, environment: { SPEECH_MODEL: "whisper-tiny" } }),
      openBrowser(),
    ]);
    const speech = await readFile(join(import.meta.dirname, SPEECH));
    const { id: assetId } = await service.upload(new Uint8Array(speech), "speech.opus");
    const { id } = await service.createTask({
      assetId,
      targets: [{ model: "transcription", formats: ["srt"], language: "en" }],
    });
    task = await service.waitForTask(id);
    path = `/tasks/${id}/targets/${task.targets[0]?.id}/words`;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const loadWords = async () => (await (await service.call(path)).json()) as Words;
  const timesOf = ({ lines }: Words) =>
    lines.flatMap((line) => line.words.map(({ text, start, end }) => [text.trim(), start, end]));

  it("[WP3] speakers are renamed, merged and given lines and words", async () => {
    const { lines, revision } = await loadWords();
    const words = lines.flatMap((line) => line.words).slice(0, 6);
    const edit = {
      revision,
      lines: [1, 2, 1].map((speaker, n) => ({
        speaker: `speaker_0${speaker}`,
        words: words.slice(2 * n, 2 * n + 2).map((word) => ({ ...word, speaker: `speaker_0${speaker}` })),
      })),
    };
    await service.call(path, {
      method: "PUT",
      body: JSON.stringify(edit),
      headers: { "content-type": "application/json" },
    });
    const { page, context, complaints } = await openPage(browser, { baseURL: service.address });
    await signInOwner(context, service);
    await page.goto(`/app/tasks/${task.id}`);
    await page.getByRole("tab", { name: "Words" }).click();
    const say = async () =>
      (await loadWords()).lines.map(({ speaker, words: said }) => [speaker, said.length]);
    const change = async (button: RegExp, name: string, what?: string) => {
      await page.getByRole("button", { name: button }).first().click();
      await page.getByLabel("Name", { exact: true }).fill(name);
      if (what) await page.getByLabel("What", { exact: true }).selectOption(what);
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /^(Apply|Merge)/ })
        .click();
      await page.getByText("Saved", { exact: true }).waitFor();
    };
    await change(/^Speaker 1 says line 1/, "Ada");
    await expect.poll(say).toEqual([
      ["Ada", 2],
      ["speaker_02", 2],
      ["Ada", 2],
    ]);
    await change(/^Ada says line 3/, "Grace", "line");
    await expect.poll(say).toEqual([
      ["Ada", 2],
      ["speaker_02", 2],
      ["Grace", 2],
    ]);
    await page.getByRole("button", { name: /^Speaker 2 says/ }).click();
    for (const view of VIEWS) {
      await page.setViewportSize({ width: view.width, height: 900 });
      await page.emulateMedia({ colorScheme: view.theme });
      await screenshot(page, "speakers", view);
      expect(await listViolations(page)).toEqual([]);
      expect(await measureWidth(page)).toBeLessThanOrEqual(view.width);
    }
    await page.keyboard.press("Escape");
    await change(/^Speaker 2 says/, "ada");
    await expect.poll(say).toEqual([
      ["Ada", 2],
      ["Ada", 2],
      ["Grace", 2],
    ]);
    await page.evaluate(`(() => {
      const [, word] = document.querySelectorAll("[data-row='0'] [data-word]");
      document.getSelection().selectAllChildren(word);
    })()`);
    await change(/^Speaker of the selection/, "Grace");
    await expect.poll(say).toEqual([
      ["Ada", 1],
      ["Grace", 1],
      ["Ada", 2],
      ["Grace", 2],
    ]);
    await service.call(path, { method: "DELETE" });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("[WP4] a lost connection, a reload and a second tab lose no edit, and undo survives", async () => {
    const { page, context } = await openPage(browser, { baseURL: service.address });
    await signInOwner(context, service);
    const open = async (tab: typeof page) => {
      await tab.goto(`/app/tasks/${task.id}`);
      await tab.getByRole("tab", { name: "Words" }).click();
      await tab.locator(".word").first().waitFor();
    };
    /** Gives the first line to somebody, which needs no network. */
    const give = async (tab: typeof page, name: string) => {
      await tab.getByRole("button", { name: "Edit line 1", exact: true }).click();
      await tab.getByRole("button", { name: "Speaker", exact: true }).click();
      await tab.getByLabel("Name", { exact: true }).fill(name);
      await tab.getByLabel("What", { exact: true }).selectOption("line");
      await tab.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
      await tab.getByRole("button", { name: "Close", exact: true }).click();
    };
    const speaker = async () => (await loadWords()).lines[0]?.speaker;
    await open(page);
    await context.setOffline(true);
    await give(page, "Ada");
    await page.getByText("Offline: kept in this browser").waitFor();
    const asked = page.waitForEvent("dialog");
    const leaving = page.evaluate("location.reload()");
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await leaving.catch(() => {});
    expect(await speaker()).toBeUndefined();
    // Killed: nothing of the page can run any more.
    await page.close();
    await context.setOffline(false);
    const next = await context.newPage();
    await open(next);
    await expect.poll(speaker).toBe("Ada");
    await next.reload();
    await next.getByRole("tab", { name: "Words" }).click();
    await next.getByRole("button", { name: "Undo" }).click();
    await expect.poll(speaker).toBeUndefined();
    await next.getByText("Saved", { exact: true }).waitFor();

    const other = await context.newPage();
    await open(other);
    await give(other, "Grace");
    await expect.poll(speaker).toBe("Grace");
    await next.getByText("Somebody else, or another tab").waitFor();
    for (const view of VIEWS) {
      await next.setViewportSize({ width: view.width, height: 900 });
      await next.emulateMedia({ colorScheme: view.theme });
      await screenshot(next, "conflict", view);
      expect(await listViolations(next)).toEqual([]);
      expect(await measureWidth(next)).toBeLessThanOrEqual(view.width);
    }
    await next.getByRole("button", { name: "Keep mine" }).click();
    await expect.poll(speaker).toBeUndefined();
    await other.getByRole("button", { name: "Take the saved ones" }).click();
    await other.getByText("Saved", { exact: true }).waitFor();
    await service.call(path, { method: "DELETE" });
    await context.close();
  });

  it("[WP1] a word is edited, its gap aligned again, undone, exported, shared, and the share revoked", async () => {
    const before = timesOf(await loadWords());
    const { page, context, complaints } = await openPage(browser, { baseURL: service.address });
    await signInOwner(context, service);
    await page.goto(`/app/tasks/${task.id}`);
    await page.getByRole("tab", { name: "Words" }).click();
    await page.locator(".word", { hasText: /^captain/ }).waitFor();
    // The recording's own player has the only one.
    expect(await page.getByRole("button", { name: "Play", exact: true }).count()).toBe(0);
    await page.locator(".word", { hasText: /^captain/ }).click();
    // A click seeks to the word, which becomes the current one.
    const captain = before.find(([text]) => text === "captain");
    await expect
      .poll(() =>
        page.locator("audio").evaluate((audio) => (audio as unknown as { currentTime: number }).currentTime),
      )
      .toBeCloseTo(Number(captain?.[1]), 1);
    await expect.poll(() => page.locator(".word[data-active]").textContent()).toBe("captain ");

    // How the words are divided into lines depends on the machine's arithmetic.
    const { lines } = await loadWords();
    const line = lines.findIndex(({ words }) => words.some(({ text }) => text.trim() === "every")) + 1;
    await page.getByRole("button", { name: `Edit line ${line}` }).click();
    const area = page.getByLabel(`Text of line ${line}`);
    await area.fill((await area.inputValue()).replace("every", "each"));
    await page.getByRole("button", { name: "Apply and align" }).click();
    await page.getByText("Only the edited words have new times.").waitFor({ timeout: 60_000 });
    await page.getByText("Saved", { exact: true }).waitFor();
    const after = await loadWords();
    expect(after).toMatchObject({ isEdited: true, revision: expect.any(Number) });
    const place = before.findIndex(([text]) => text === "every");
    const times = timesOf(after);
    // The word's times are new and between its neighbours; all others are unchanged.
    expect(times.with(place, [])).toEqual(before.with(place, []));
    const [text, start, end] = times[place] as [string, number, number];
    expect(text).toBe("each");
    expect([start, end]).not.toEqual(before[place]?.slice(1));
    expect(start).toBeGreaterThanOrEqual(Number(before[place - 1]?.[2]));
    expect(end).toBeLessThanOrEqual(Number(before[place + 1]?.[1]));

    // The keyboard moves the edge of a word and nothing else.
    const edge = page.getByRole("slider", { name: /^End of wave/ });
    await edge.focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByText("Saved", { exact: true }).waitFor();
    const moved = timesOf(await loadWords());
    expect(Number(moved.at(-1)?.[2])).toBeCloseTo(Number(times.at(-1)?.[2]) - 0.01, 3);
    expect(moved.slice(0, -1)).toEqual(times.slice(0, -1));
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await expect.poll(async () => timesOf(await loadWords()).at(-1)).toEqual(times.at(-1));

    await page.getByLabel("Export format").selectOption("lrc");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("speech - transcription (edited).lrc");
    expect(await readFile(await download.path(), "utf8")).toMatch(/>each <[\d:.]+>wave/);

    await page.getByRole("button", { name: "Share" }).click();
    await page.getByLabel("Show the file’s name").check();
    await page.getByRole("button", { name: "Make a link" }).click();
    const link = await page.getByLabel("The link", { exact: true }).inputValue();
    expect(link).toMatch(/\/app\/share#[0-9A-Za-z]{40}$/);

    // A visitor without an account.
    const visitor = await openPage(browser, { baseURL: service.address });
    await visitor.page.goto(link);
    await visitor.page.getByRole("heading", { name: "speech.opus" }).waitFor();
    await visitor.page.locator(".word", { hasText: /^each/ }).waitFor();
    expect(await visitor.page.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
    expect(await visitor.context.cookies()).toEqual([]);
    // The words follow the mixer, and a click on one of them seeks.
    const shown = visitor.page.locator(".word[data-active]");
    await visitor.page.locator(".word", { hasText: /^captain/ }).click();
    await expect.poll(() => shown.textContent()).toBe("captain ");
    await visitor.page.locator(".words-list").press("Space");
    await visitor.page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await expect.poll(() => shown.textContent()).not.toBe("captain ");
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The link is revoked").waitFor();
    // Above the dialog, not behind it.
    await page.getByRole("button", { name: "Dismiss" }).last().click();
    await visitor.page.reload();
    await visitor.page.getByText("This link no longer works").waitFor();
    expect([...complaints, ...visitor.complaints]).toEqual([]);
    await visitor.context.close();
    await context.close();
  });

  it("[WP1] an edge is dragged, a line tapped along, and both are undone", async () => {
    await service.call(path, { method: "DELETE" });
    const original = await loadWords();
    const before = timesOf(original);
    const count = original.lines[0]?.words.length ?? 0;
    const { page, context, complaints } = await openPage(browser, { baseURL: service.address });
    await signInOwner(context, service);
    await page.goto(`/app/tasks/${task.id}`);
    await page.getByRole("tab", { name: "Words" }).click();
    await page.getByRole("button", { name: "Edit line 1" }).click();
    const expectTimes = (times: unknown) =>
      expect.poll(async () => timesOf(await loadWords())).toEqual(times);
    const undo = page.getByRole("button", { name: "Undo" });

    // Held beside its middle, the edge of a word moves as far as the mouse does, and nothing else moves.
    const place = before.findIndex(([, start, end]) => Number(end) - Number(start) > 0.15);
    const [text, start, end] = before[place] as [string, number, number];
    const block = await page.locator(".word-block").nth(place).boundingBox();
    const handle = await page.getByRole("slider", { name: `Start of ${text}` }).boundingBox();
    if (!block || !handle) throw new Error("the word is not on the timeline");
    const grip = { x: handle.x + handle.width - 1, y: handle.y + handle.height / 2 };
    await page.mouse.move(grip.x, grip.y);
    await page.mouse.down();
    await page.mouse.move(grip.x + block.width / 4, grip.y, { steps: 5 });
    await page.mouse.move(grip.x + block.width / 2, grip.y, { steps: 5 });
    await page.mouse.up();
    await page.getByText("Saved", { exact: true }).waitFor();
    await expect.poll(async () => timesOf(await loadWords())[place]?.[1]).not.toBe(start);
    const dragged = timesOf(await loadWords());
    expect(dragged[place]).toEqual([text, expect.closeTo((start + end) / 2, 2), end]);
    expect(dragged.with(place, [])).toEqual(before.with(place, []));
    // The arrow keys continue from there, and the whole drag is undone at once.
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    expect(await undo.getAttribute("aria-disabled")).toBe("true");
    await expectTimes(before);
    await page.getByRole("button", { name: "Redo" }).click();
    await expectTimes(dragged);
    await undo.click();
    await expectTimes(before);

    // A tap counts from the moment a key or button goes down.
    await page.evaluate(() => {
      const { document } = globalThis as unknown as {
        document: {
          querySelector(selector: string): { currentTime: number };
          addEventListener(type: string, listener: () => void, isFirst: boolean): void;
        };
      };
      const pressed: number[] = [];
      Object.assign(globalThis, { pressed });
      for (const type of ["keydown", "pointerdown"])
        document.addEventListener(
          type,
          () => pressed.push(document.querySelector("audio").currentTime),
          true,
        );
    });
    const tapAlong = page.getByRole("button", { name: "Tap along" });
    await tapAlong.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Tap at “/ }).click({ delay: 150 });
    for (let tap = 1; tap <= count; tap++) await page.keyboard.press("Space", { delay: 150 });
    await tapAlong.waitFor();
    const pressed = await page.evaluate(() => (globalThis as unknown as { pressed: number[] }).pressed);
    expect(pressed).toHaveLength(count + 2);
    const [, ...taps] = pressed;
    await page.getByText("Saved", { exact: true }).waitFor();
    await expectTimes(
      before.map(([shown, ...times], n) =>
        n < count
          ? [shown, expect.closeTo(taps[n] ?? -1, 2), expect.closeTo(taps[n + 1] ?? -1, 2)]
          : [shown, ...times],
      ),
    );
    // The keyboard continues where it was.
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Tap along");
    await page.keyboard.press("Control+z");
    await expectTimes(before);
    expect(complaints).toEqual([]);
    await service.call(path, { method: "DELETE" });
    await context.close();
  });

  it.each(VIEWS)(
    "[WP1] at $width px, $theme, axe-core finds nothing and nothing is wider than the screen",
    async (view) => {
      const { page, context } = await openPage(browser, { view, baseURL: service.address });
      const check = async (name: string) => {
        expect(await listViolations(page), name).toEqual([]);
        expect(await measureWidth(page), name).toBeLessThanOrEqual(view.width);
        await screenshot(page, name, view);
      };
      await signInOwner(context, service);
      await page.goto(`/app/tasks/${task.id}`);
      await page.getByRole("tab", { name: "Words" }).click();
      await page.getByRole("button", { name: "Edit line 1" }).click();
      await page.getByLabel("Text of line 1").waitFor();
      await check("words");
      await page.getByRole("button", { name: "Share" }).click();
      await page.getByRole("button", { name: "Make a link" }).click();
      const link = await page.getByLabel("The link", { exact: true }).inputValue();
      await check("share-dialog");
      await page.goto("about:blank");
      await page.goto(link);
      await page.getByRole("button", { name: "Export" }).waitFor();
      await check("share-page");
      await context.close();
    },
  );

  it("[WP2] ten thousand words scroll with only a few hundred of them in the page", async () => {
    const words = await loadWords();
    const step = (words.duration * 1000) / MANY_WORDS / 1000;
    const lines = Array.from({ length: MANY_WORDS / 10 }, (_, line) => ({
      words: Array.from({ length: 10 }, (_, n) => {
        const start = (line * 10 + n) * step;
        return { text: `word${line * 10 + n} `, start, end: start };
      }),
      speaker: `Speaker ${(line % 3) + 1}`,
    }));
    await service.call(path, {
      method: "PUT",
      body: JSON.stringify({ revision: words.revision, lines }),
      headers: { "content-type": "application/json" },
    });
    const { page, context, complaints } = await openPage(browser, { baseURL: service.address });
    await signInOwner(context, service);
    await page.goto(`/app/tasks/${task.id}`);
    await page.getByRole("tab", { name: "Words" }).click();
    await page.locator(".word", { hasText: /^word0 / }).waitFor();
    const list = page.locator(".words-list");
    const scrollTo = (share: number) =>
      list.evaluate((box, at) => {
        box.scrollTop = at * (box.scrollHeight - box.clientHeight);
      }, share);
    for (const share of [0.1, 0.5, 0.9, 0.3]) {
      await scrollTo(share);
      await expect
        .poll(async () => {
          const shown = await page.locator(".word").first().textContent();
          return Math.abs(Number(shown?.slice(4)) / MANY_WORDS - share);
        })
        .toBeLessThan(0.05);
      expect(await page.locator(".word").count()).toBeLessThan(800);
    }
    await scrollTo(1);
    await page.locator(".word", { hasText: `word${MANY_WORDS - 1}` }).waitFor();
    expect(await page.locator(".words-speaker").first().textContent()).toMatch(/^Speaker [123]$/);
    expect(complaints).toEqual([]);
    await service.call(path, { method: "DELETE" });
    await context.close();
  });
});
