import { describe, expect, it } from "vitest";
import { answerJson, makeFakeFetch } from "../../../test/support/fake-fetch.ts";
import { Stemwright } from "../stemwright.ts";

const target = { taskId: "t", targetId: "g" };
const gap = { text: "northern sea", start: 1, end: 2 };
const processing = { id: "r", status: "processing", createdAt: "" };
const lines = [{ start: 1, end: 2, text: "northern sea", words: [] }];

function open(answers: unknown[]) {
  const fake = makeFakeFetch(({ method }) => answerJson(method === "DELETE" ? { id: "r" } : answers.shift()));
  const client = new Stemwright({ baseUrl: "http://a", fetch: fake.fetch });
  return { words: client.tasks.words, sent: () => fake.requests.map(({ method }) => method) };
}

describe("tasks.words.align", () => {
  it("waits until the gap has its times", async () => {
    const { words, sent } = open([processing, processing, { ...processing, status: "completed", lines }]);
    expect(await words.align(target, gap)).toEqual(lines);
    expect(sent()).toEqual(["POST", "GET", "GET"]);
  });

  it("rejects with what the service says", async () => {
    const error = { code: 1004, message: "The recording is no longer there." };
    const { words } = open([processing, { ...processing, status: "error", error }]);
    await expect(words.align(target, gap)).rejects.toThrow(error.message);
  });

  it("cancels the work when its signal is aborted", async () => {
    const { words, sent } = open([processing]);
    const cancel = new AbortController();
    const aligning = words.align(target, gap, { signal: cancel.signal });
    setTimeout(() => cancel.abort(new Error("enough")), 50);
    await expect(aligning).rejects.toThrow("enough");
    expect(sent()).toEqual(["POST", "DELETE"]);
  });
});
