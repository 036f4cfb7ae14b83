import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { MediaReport } from "./media-request.ts";
import { readReports } from "./read-reports.ts";

function listen() {
  const channel = new PassThrough();
  const received: (MediaReport | "nonsense")[] = [];
  readReports(
    channel,
    (report) => received.push(report),
    () => received.push("nonsense"),
  );
  return { channel, received };
}

it("reports arrive in order, however they are split", async () => {
  const { channel, received } = listen();
  for (const text of [
    '{"kind":"rea',
    'dy"}\n{"kind":"progress","fraction":0.5}\n{"kind":"done"',
    ',"result":3}\n',
  ])
    channel.write(text);
  await expect.poll(() => received).toHaveLength(3);
  expect(received).toEqual([
    { kind: "ready" },
    { kind: "progress", fraction: 0.5 },
    { kind: "done", result: 3 },
  ]);
});

it.each([
  ["no JSON", "ready\n"],
  ["no report", '{"kind":"NODE_HANDLE"}\n'],
  ["a report out of its range", '{"kind":"progress","fraction":7}\n'],
  ["a line without an end", "x".repeat(2 ** 20 + 1)],
])("[S5] %s ends the conversation", async (_what, text) => {
  const { channel, received } = listen();
  channel.write(text);
  await expect.poll(() => received).toEqual(["nonsense"]);
  expect(channel.destroyed).toBe(true);
});
