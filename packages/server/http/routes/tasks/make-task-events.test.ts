import { describe, expect, it } from "vitest";
import { makeTaskFeed } from "../../../domain/tasks/task-feed.ts";
import type { TaskRecord } from "../../../domain/tasks/task-record.ts";
import { makeTaskEvents } from "./make-task-events.ts";

const task: TaskRecord = {
  id: "a-task",
  clientId: "client",
  createdAt: new Date(),
  completedAt: null,
  isRunning: false,
  url: "https://media.example/a.wav",
  queuePosition: 1,
  targets: [
    {
      id: "a-target",
      model: "vocals",
      formats: ["wav"],
      creditsPerMinute: 1,
      status: "processing",
      progress: 0,
      output: [],
    },
  ],
};

describe("a stream of events", () => {
  it("[T13] releases everything when its reader leaves, even while it waits", async () => {
    let tell: () => void = () => {};
    let reads = 0;
    const feed = makeTaskFeed({
      changes: {
        subscribe: (listener) => {
          tell = () => listener(task.id);
          return () => {};
        },
      },
      findTask: async () => {
        reads += 1;
        return task;
      },
      listMarks: async () => new Map(),
      onError: () => {},
    });
    const gone = new AbortController();
    const links = { prepare: async () => ({ sign: () => "" }) };
    const events = makeTaskEvents({ task, feed, links, signal: gone.signal });
    expect((await events.next()).value).toMatch(/^retry: \d+\n\n$/);
    expect((await events.next()).value).toMatch(
      /^id: [\w-]{8}\nevent: target\ndata: .*"queuePosition":1.*\n\n$/,
    );
    // The feed's own poll found nothing new.
    expect((await events.next()).value).toBe(": keep-alive\n\n");
    const waiting = events.next();
    const before = reads;
    tell();
    expect(reads).toBe(before + 1);
    gone.abort();
    expect((await waiting).done).toBe(true);
    tell();
    expect(reads).toBe(before + 1);
    feed.close();
  });
});
