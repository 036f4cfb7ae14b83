import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** Results, one JSON line per recording: a stopped run resumes after them. */
export class Figures {
  readonly #path: string | undefined;
  readonly #known = new Map<string, unknown>();

  constructor(path: string | undefined) {
    this.#path = path;
    if (path === undefined || !existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").trim().split("\n")) {
      const { key, value } = JSON.parse(line) as { key: string; value: unknown };
      this.#known.set(key, value);
    }
  }

  async measure<T>(key: string, measure: () => Promise<T>): Promise<T> {
    if (this.#known.has(key)) return this.#known.get(key) as T;
    const value = await measure();
    this.#known.set(key, value);
    const line = JSON.stringify({ key, value });
    if (this.#path !== undefined) appendFileSync(this.#path, `${line}\n`);
    console.log(line);
    return value;
  }
}
