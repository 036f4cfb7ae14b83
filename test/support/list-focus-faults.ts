import type { Page } from "playwright-core";

/** At a time, before asking whether the focus has left the page; a few more only reach some controls again. */
const PRESSES = 10;
const MAX_PRESSES = 500;
/** A ring narrower than this is easily missed. */
const RING_PX = 2;

const WALKS = [
  ["Tab", "prepend"],
  ["Shift+Tab", "append"],
] as const;

type Node = {
  outerHTML: string;
  tabIndex: number;
  disabled?: boolean;
  contains(other: Node | null): boolean;
  matches(selector: string): boolean;
  closest(selector: string): Node | null;
  getBoundingClientRect(): { left: number; top: number; right: number; bottom: number };
  checkVisibility(): boolean;
};
type Watch = {
  reached: Set<Node>;
  faults: Set<string>;
  /** The first control of this walk. */
  first: Node | undefined;
  hasLeft: boolean;
  isStarting: boolean;
};
/** What is used of the browser's globals, whose types the tests do without. */
type Globals = {
  document: {
    activeElement: Node | null;
    body: Node & Record<"prepend" | "append", (node: Node) => void>;
    createElement(name: "button"): Node & Record<"focus" | "remove", () => void>;
    querySelectorAll(selector: string): Iterable<Node>;
    elementFromPoint(x: number, y: number): Node | null;
    addEventListener(type: string, listen: (event: { target: Node }) => void): void;
  };
  getComputedStyle(node: Node): { outlineStyle: string; outlineWidth: string };
  innerWidth: number;
  innerHeight: number;
  watch: Watch;
};

/** Watches the focus from now on: what it reaches, its faults, and whether it has left the page's end or start. */
function watchFocus(ringPx: number): void {
  const { document, getComputedStyle, innerWidth, innerHeight } = globalThis as unknown as Globals;
  const watch: Watch = {
    reached: new Set(),
    faults: new Set(),
    first: undefined,
    hasLeft: false,
    isStarting: false,
  };
  Object.assign(globalThis, { watch });
  const isRinged = (node: Node | null) => {
    if (!node) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(node);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= ringPx;
  };
  const isSeen = (node: Node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    // The part of it within the window: a long list is never seen whole.
    const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
    const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
    const hit = document.elementFromPoint(x, y);
    return hit !== null && (node.contains(hit) || hit.contains(node));
  };
  document.addEventListener("focusin", ({ target: node }) => {
    if (watch.isStarting) return;
    // Without a browser around it, the page's end leads to its start, and the focus is on neither only briefly.
    watch.hasLeft ||= watch.first === node;
    watch.first ??= node;
    watch.reached.add(node);
    const name = node.outerHTML.slice(0, 120);
    // Within the browser's own player, the browser draws the ring.
    const isOwn = node.matches(":focus");
    if (isOwn && !isRinged(node) && !isRinged(node.closest("label"))) watch.faults.add(`no ring: ${name}`);
    if (!isSeen(node)) watch.faults.add(`covered: ${name}`);
  });
  document.addEventListener("focusout", () =>
    // Once the next element has the focus.
    setTimeout(() => {
      watch.hasLeft ||= document.activeElement === document.body;
    }),
  );
}

/** The next Tab goes to the page's first control, or Shift+Tab to its last one. */
async function startAt(place: "prepend" | "append"): Promise<void> {
  const { document, watch } = globalThis as unknown as Globals;
  watch.isStarting = true;
  const start = document.createElement("button");
  document.body[place](start);
  start.focus();
  start.remove();
  await new Promise((resolve) => setTimeout(resolve));
  watch.isStarting = false;
  watch.first = undefined;
  watch.hasLeft = false;
}

function listFaults(): string[] {
  const { document, watch } = globalThis as unknown as Globals;
  const controls = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]");
  const missed = [...controls]
    .filter((node) => node.tabIndex >= 0 && !node.disabled && node.checkVisibility())
    .filter((node) => !watch.reached.has(node));
  return [...watch.faults, ...missed.map((node) => `not reached: ${node.outerHTML.slice(0, 120)}`)];
}

/** Goes through a page with Tab and back with Shift+Tab: lists what is not reached, and what has no visible focus. */
export async function listFocusFaults(page: Page): Promise<string[]> {
  await page.evaluate(watchFocus, RING_PX);
  for (const [key, place] of WALKS) {
    await page.evaluate(startAt, place);
    for (let presses = 0; !(await page.evaluate<boolean>("watch.hasLeft")); presses += PRESSES) {
      if (presses >= MAX_PRESSES) return [`${key} does not leave the page`];
      for (let n = 0; n < PRESSES; n++) await page.keyboard.press(key);
      const hasControls = await page.evaluate<boolean>("watch.reached.size > 0");
      if (!hasControls) break;
    }
  }
  return await page.evaluate(listFaults);
}
