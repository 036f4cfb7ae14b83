import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { makeTempDir } from "../test/support/temp-dir.ts";

type Answer = { id?: number; result?: unknown; error?: { message: string } };

/** A connection to the browser's debugging port; answers are matched by number. */
class Connection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { id, result, error } = JSON.parse(String(data)) as Answer;
      const waiting = id === undefined ? undefined : this.#waiting.get(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result as never);
    });
  }

  static async open(address: string): Promise<Connection> {
    const socket = new WebSocket(address);
    await once(socket, "open");
    return new Connection(socket);
  }

  send<Result = unknown>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    this.#last += 1;
    const id = this.#last;
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }
}

/**
 * A tab as a user has it. Playwright's tabs keep all response bodies in their own memory, up to 200 MB, for the developer tools: here nothing listens to the
 * network.
 */
export class PlainTab {
  readonly #browser: ChildProcess;
  readonly #connection: Connection;
  readonly #sessionId: string;
  readonly #profileDir: string;

  private constructor(
    parts: { browser: ChildProcess; profileDir: string },
    page: { connection: Connection; sessionId: string },
  ) {
    this.#browser = parts.browser;
    this.#profileDir = parts.profileDir;
    this.#connection = page.connection;
    this.#sessionId = page.sessionId;
  }

  static async open({ executablePath, args }: { executablePath: string; args: readonly string[] }) {
    const profileDir = await makeTempDir("plain-tab");
    const browser = spawn(
      executablePath,
      [...args, "--headless", "--remote-debugging-port=0", `--user-data-dir=${profileDir}`, "about:blank"],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const connection = await Connection.open(await readAddress(browser));
    const { targetInfos } = await connection.send<{ targetInfos: { type: string; targetId: string }[] }>(
      "Target.getTargets",
    );
    const targetId = targetInfos.find(({ type }) => type === "page")?.targetId;
    const { sessionId } = await connection.send<{ sessionId: string }>("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    const tab = new PlainTab({ browser, profileDir }, { connection, sessionId });
    await tab.#send("Page.enable");
    await tab.#send("Emulation.setDeviceMetricsOverride", {
      ...{ width: 1440, height: 900, deviceScaleFactor: 1, mobile: false },
    });
    return tab;
  }

  async close(): Promise<void> {
    const exited = once(this.#browser, "exit");
    // It may exit before it has answered.
    void this.#connection.send("Browser.close");
    await exited;
    await rm(this.#profileDir, { recursive: true, force: true });
  }

  async goTo(url: string, { cookie, script }: { cookie: string; script: string }): Promise<void> {
    const [name = "", value = ""] = cookie.split("=");
    await this.#send("Network.setCookie", { name, value, url, httpOnly: true, sameSite: "Lax" });
    await this.#send("Page.addScriptToEvaluateOnNewDocument", { source: script });
    await this.#send("Page.navigate", { url });
  }

  async evaluate<Value>(expression: string): Promise<Value> {
    const { result } = await this.#send<{ result: { value: Value } }>("Runtime.evaluate", {
      expression,
      returnByValue: true,
    });
    return result.value;
  }

  /** Presses the button of this name, once it exists. */
  async press(name: string): Promise<void> {
    const find = `[...document.querySelectorAll("button")].find((each) => each.textContent.trim() === ${JSON.stringify(name)})`;
    while (!(await this.evaluate<boolean>(`Boolean(${find})`))) await new Promise(setImmediate);
    await this.evaluate(`${find}.click()`);
  }

  /** Clicks at a share of an element's width, near its upper edge. */
  async clickAt(selector: string, share: number): Promise<void> {
    const box = await this.evaluate<{ x: number; y: number; width: number }>(
      `JSON.parse(JSON.stringify(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()))`,
    );
    const at = { x: box.x + share * box.width, y: box.y + 8, button: "left", clickCount: 1 };
    await this.#send("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
    await this.#send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
  }

  async type(character: string): Promise<void> {
    await this.#send("Input.dispatchKeyEvent", { type: "keyDown", key: character, text: character });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", key: character });
  }

  /** The tab's private memory, as Chromium's task manager counts it: neither files nor shared memory. */
  async readMemoryMb(): Promise<number> {
    const { processInfo } = await this.#connection.send<{ processInfo: { type: string; id: number }[] }>(
      "SystemInfo.getProcessInfo",
    );
    const sizes = await Promise.all(
      processInfo
        .filter(({ type }) => type === "renderer")
        .map(async ({ id }) => {
          const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
          const read = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
          return (read("RssAnon") + read("VmSwap")) / 1024;
        }),
    );
    return Math.max(0, ...sizes);
  }

  #send<Result>(method: string, params: object = {}): Promise<Result> {
    return this.#connection.send<Result>(method, params, this.#sessionId);
  }
}

async function readAddress(browser: ChildProcess): Promise<string> {
  if (!browser.stderr) throw new Error("the browser has no stderr");
  for await (const line of createInterface(browser.stderr)) {
    const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error("the browser exited before it listened");
}
