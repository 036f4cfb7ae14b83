import { setTimeout as wait } from "node:timers/promises";
import type { Service } from "./service.ts";

const READERS = 12;

/** Reads from many clients at once, like monitoring and customers, and records how each request ends. */
export function startSteadyReads({ call }: Pick<Service, "call">, path = "/tasks") {
  const endings = new Map<string, number>();
  let isOver = false;
  const note = (ending: string) => endings.set(ending, (endings.get(ending) ?? 0) + 1);

  async function read(): Promise<void> {
    while (!isOver) {
      try {
        const response = await call(path);
        const body = (await response.json()) as { code?: string };
        const isComplete = response.ok || response.headers.has("retry-after");
        note(`${response.status} ${body.code ?? ""}`.trim() + (isComplete ? "" : " without Retry-After"));
      } catch (error) {
        note(String((error as Error).cause ?? error));
        await wait(100);
      }
    }
  }
  const readers = Array.from({ length: READERS }, read);

  return {
    count: (ending: string) => endings.get(ending) ?? 0,
    /** All distinct outcomes. */
    async stop(): Promise<string[]> {
      isOver = true;
      await Promise.all(readers);
      return [...endings.keys()].sort();
    },
  };
}
