import { describe, expect, it, vi } from "vitest";
import { makeTaskFeed } from "./task-feed.ts";
import type { TaskRecord } from "./task-record.ts";

const record = (id: string): TaskRecord => ({
  id,
  clientId: "client",
  createdAt: new Date(),
  completedAt: null,
  isRunning: false,
  url: "https://media.example/a.wav",
  targets: [],
});

/** A feed that counts its reads, answered by the test. */
function makeTestFeed() {
  const reads: PromiseWithResolvers<TaskRecord>[] = [];
  let tell: (taskId: string | undefined) => void = () => {};
  const marks = new Map<string, string>();
  const feed = makeTaskFeed({
    changes: {
      subscribe(listener) {
        tell = listener;
        return () => {};
      },
    },
    findTask: () => {
      const read = Promise.withResolvers<TaskRecord>();
      reads.push(read);
      return read.promise;
    },
    listMarks: async () => marks,
    onError: () => {},
  });
  const answer = async () => {
    reads.at(-1)?.resolve(record("a"));
    await new Promise(setImmediate);
  };
  return { feed, reads, marks, answer, tell: (taskId?: string) => tell(taskId) };
}

describe("following Tasks", () => {
  it("[T13] reads a Task once for a change, however many follow it, and once more for changes meanwhile", async () => {
    const { feed, reads, answer, tell } = makeTestFeed();
    let told = 0;
    for (let i = 0; i < 50; i += 1)
      feed.follow("a", () => {
        told += 1;
      });
    expect(reads).toHaveLength(1);
    await answer();
    expect(reads).toHaveLength(2);
    await answer();
    expect(told).toBe(100);
    for (let i = 0; i < 10; i += 1) tell("a");
    expect(reads).toHaveLength(3);
    await answer();
    expect(reads).toHaveLength(4);
    await answer();
    expect(reads).toHaveLength(4);
    feed.close();
  });

  it("[T13] does not read Tasks that are no longer followed", async () => {
    const { feed, reads, answer, tell } = makeTestFeed();
    const leave = [1, 2].map(() => feed.follow("a", () => {}));
    await answer();
    await answer();
    for (const unfollow of leave) unfollow();
    const before = reads.length;
    tell("a");
    tell();
    expect(reads).toHaveLength(before);
    feed.close();
  });

  it("[T13] polls progress, which sends no notifications, and reads Tasks that advanced", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { feed, reads, marks, answer } = makeTestFeed();
    feed.follow("a", () => {});
    await answer();
    const look = async () => {
      await vi.advanceTimersByTimeAsync(1000);
      return reads.length;
    };
    expect(await look()).toBe(1);
    marks.set("a", "0.25").set("b", "0.5");
    expect(await look()).toBe(2);
    await answer();
    expect(await look()).toBe(2);
    marks.set("a", "0.5");
    expect(await look()).toBe(3);
    feed.close();
    vi.useRealTimers();
  });
});
