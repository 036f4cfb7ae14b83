import { FLAGS, findBrowser } from "../test/support/browser.ts";
import { PlainTab } from "./plain-tab.ts";

const TRACKS = 7;
const TURNS = 8;
const SEEKS_A_TURN = 5;
/** Its multiples never hit the same place twice. */
const GOLDEN_RATIO = 0.618_034;

/** Records when the first audio after a click is rendered; runs in the page, before its own scripts. */
export const WATCH = `
  const playback = globalThis.playback = { clickedMs: 0, afterMs: [], starts: 0, waveformMs: 0, spectrogramMs: 0 };
  let pressedMs = 0;
  addEventListener("pointerdown", () => { pressedMs = performance.now(); }, true);
  // The page seeks when the button is released: what starts before that was scheduled, seconds ahead, for the place before.
  addEventListener("pointerup", () => { playback.clickedMs = pressedMs; }, true);
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (when, ...rest) {
    playback.starts += 1;
    if (playback.clickedMs > 0) {
      const waitMs = 1000 * Math.max(0, when - this.context.currentTime);
      playback.afterMs.push(performance.now() + waitMs - playback.clickedMs);
      playback.clickedMs = 0;
    }
    return start.call(this, when, ...rest);
  };
  const look = () => {
    const tab = [...document.querySelectorAll("[role=tab]")].find(({ textContent }) => textContent === "Mixer");
    if (tab?.ariaSelected === "false") tab.click();
    for (const kind of ["waveform", "spectrogram"])
      if (playback[kind + "Ms"] === 0 && document.querySelectorAll("[data-drawn=" + kind + "]").length === ${TRACKS})
        playback[kind + "Ms"] = performance.now();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
`;
export type Playback = { starts: number; afterMs: number[]; waveformMs: number; spectrogramMs: number };
export async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20));
}

export const openTab = async () => await PlainTab.open({ executablePath: await findBrowser(), args: FLAGS });

/** Opens a Task's mixer, and resolves once the waveforms of all tracks are drawn. */
export async function openMixerIn(tab: PlainTab, url: string, cookie: string): Promise<void> {
  await tab.goTo(url, { cookie, script: WATCH });
  await until(async () => ((await readTab(tab))?.waveformMs ?? 0) > 0);
}

/** Resolves once the context has received audio. */
export async function playIn(tab: PlainTab): Promise<void> {
  const { starts } = await readTab(tab);
  await tab.press("Play");
  await until(async () => (await readTab(tab)).starts > starts);
}

export const readTab = (tab: PlainTab) => tab.evaluate<Playback>("globalThis.playback");

export async function seekAround(tab: PlainTab, count: number, offset: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { length } = (await readTab(tab)).afterMs;
    await tab.clickAt(".mixer-ruler-area", 0.02 + 0.96 * ((offset + n * GOLDEN_RATIO) % 1));
    await until(async () => (await readTab(tab)).afterMs.length > length);
  }
}

/**
 * The same seeks in two checkouts of the project, alternating in groups, so that both see the same load on the machine. Only one tab plays at a time.
 * Returns the times from click to sound of each.
 */
export async function compareSeeks(urls: readonly string[], cookie: string): Promise<number[][]> {
  const tabs: PlainTab[] = [];
  try {
    for (const url of urls) {
      const tab = await openTab();
      tabs.push(tab);
      await openMixerIn(tab, url, cookie);
    }
    for (let turn = 0; turn < TURNS; turn++) {
      for (const tab of turn % 2 === 0 ? tabs : tabs.toReversed()) {
        await playIn(tab);
        await seekAround(tab, SEEKS_A_TURN, 0.1 + turn * SEEKS_A_TURN * GOLDEN_RATIO);
        await tab.press("Pause");
      }
    }
    return await Promise.all(tabs.map(async (tab) => (await readTab(tab)).afterMs));
  } finally {
    for (const tab of tabs) await tab.close();
  }
}
