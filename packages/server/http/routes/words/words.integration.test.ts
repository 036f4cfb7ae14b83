import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Task, TaskExports, Words, WordsEditInput } from "@stemwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";
import { makeWordsTask, SPOKEN } from "../../../../../test/support/words-task.ts";

let api: TestApi;
let task: Task;
let path: string;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  task = await makeWordsTask(api);
  path = `/tasks/${task.id}/targets/${task.targets[0]?.id}/words`;
});

type Init = { key?: string | null };
const load = async (init: Init = {}) => (await (await api.call(path, init)).json()) as Words;
const put = (body: unknown, init: Init = {}) =>
  api.call(path, {
    method: "PUT",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
    ...init,
  });
const faultOf = async (response: Response) => {
  const { code, message } = (await response.json()) as { code: string; message: string };
  return { status: response.status, code, message };
};
const word = (text: string, start: number, end: number) => ({ text, start, end });
const edit = (revision = 0): WordsEditInput => ({
  revision,
  lines: [
    { words: [word("Eleven ", 1, 1.5), word("ships", 2, 2.5)] },
    { words: [word("sailed ", 3, 3.5)], speaker: "B" },
  ],
});

describe("the words of a target", () => {
  it("[Y7] are at first those that the service wrote", async () => {
    const words = await load();
    expect(words).toMatchObject({ revision: 0, isEdited: false, updatedAt: null, duration: 10 });
    expect(words.text).toBe("Seven ships sailed\nacross the sea\n");
    expect(words.metadata).toEqual(SPOKEN.metadata);
    expect(words.lines[1]).toMatchObject({ start: 4, end: 6.5, text: "across the sea\n" });
    expect(words.lines[1]?.words[0]).toEqual({ start: 4, end: 4.5, text: "across ", confidence: 0.9 });
  });

  it("[Y7] an edit is stored beside them and read instead; the output stays, and deleting the edit reverts it", async () => {
    const before = await load();
    const saved = (await (await put(edit())).json()) as Words;
    expect(saved).toMatchObject({ revision: 1, isEdited: true, text: "Eleven ships\nsailed " });
    expect(saved.lines[0]?.words[0]).toEqual({ start: 1, end: 1.5, text: "Eleven ", confidence: 1 });
    expect(saved.lines[1]).toMatchObject({ speaker: "B", start: 3, end: 3.5 });
    expect(await load()).toEqual(saved);
    const [output] = task.targets[0]?.output ?? [];
    expect(((await (await fetch(output?.link ?? "")).json()) as Words).text).toBe(before.text);
    const dropped = (await (await api.call(path, { method: "DELETE" })).json()) as Words;
    expect(dropped).toEqual({ ...before, revision: 2, updatedAt: expect.any(String) });
    expect(await load()).toEqual(dropped);
    // Repeating it changes nothing.
    expect(((await (await api.call(path, { method: "DELETE" })).json()) as Words).revision).toBe(2);
  });

  it("[Y8] of edits of the same revision one is kept, and the others get 409", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(edit())));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await faultOf(await put(edit(0)))).toMatchObject({
      code: "WORDS_CHANGED",
      message: expect.stringMatching(/based on revision 0, but the words are at 1 by now/),
    });
    expect((await put(edit(1))).status).toBe(200);
    expect((await faultOf(await put(edit(7)))).code).toBe("WORDS_CHANGED");
    // An edit based on a version that was discarded meanwhile never matches the current one, whatever was edited since.
    await api.call(path, { method: "DELETE" });
    expect((await faultOf(await put(edit(2)))).code).toBe("WORDS_CHANGED");
    expect((await put(edit(3))).status).toBe(200);
  });

  it("[Y8] an edit of a nonexistent revision is refused", async () => {
    expect((await faultOf(await put(edit(1)))).code).toBe("WORDS_CHANGED");
    expect((await load()).revision).toBe(0);
  });

  it.each([
    [
      "overlap",
      [word("a ", 1, 2), word("b", 1.9, 3)],
      /^"b" starts at 1.9 s, before the word before it ends at 2 s/,
    ],
    ["end before they start", [word("a", 2, 1)], /ends at 1 s, before it starts at 2 s/],
    ["lie behind the recording", [word("a", 9, 10.5)], /behind the recording's end at 10 s/],
    ["are blank", [word(" ", 1, 2)], /is no word/],
  ])("[Y9] words that %s are refused with what is wrong", async (_title, words, message) => {
    const fault = await faultOf(await put({ revision: 0, lines: [{ words }] }));
    expect(fault).toEqual({ status: 400, code: "WORDS_INVALID", message: expect.stringMatching(message) });
  });

  it.each([
    ["no revision", { lines: [] }],
    [
      "times that are no numbers",
      { revision: 0, lines: [{ words: [{ text: "a", start: "1", end: null }] }] },
    ],
    ["an empty line", { revision: 0, lines: [{ words: [] }] }],
  ])("[Y9] %s is refused", async (_title, body) => {
    expect((await faultOf(await put(body))).code).toBe("REQUEST_INVALID");
  });

  it("[Y9] 50,000 words are taken, more are refused, and so are more than 8 MiB", async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ words: [word("word ", n / 10_000, n / 10_000)] }));
    const taken = await put({ revision: 0, lines: many(50_000) });
    expect(taken.status).toBe(200);
    expect((await load()).lines).toHaveLength(50_000);
    expect((await put({ revision: 1, lines: many(50_001) })).status).toBe(400);
    const huge = { revision: 1, lines: [{ words: [word("a", 1, 2)] }], padding: "x".repeat(9 * 1024 ** 2) };
    expect((await faultOf(await put(huge))).code).toBe("BODY_TOO_LARGE");
    // In one line or many: the total counts.
    const inTwo = [
      { words: many(30_000).flatMap(({ words }) => words) },
      { words: many(30_000).map(() => word("a", 3, 3)) },
    ];
    expect((await faultOf(await put({ revision: 1, lines: inTwo }))).code).toBe("WORDS_INVALID");
  });

  it("[Y9] keeps every character, including lone surrogates and separators", async () => {
    const text = 'a\ud800"\\ \u2028ß😀';
    await put({ revision: 0, lines: [{ words: [word(text, 1, 2)] }] });
    expect((await load()).lines[0]?.words[0]?.text).toBe(text);
  });

  it("[E4] [Y7] are private: another client's Task is unknown", async () => {
    const { key } = await api.addAccount();
    const answers = [
      await api.call(path, { key }),
      await put(edit(), { key }),
      await api.call(path, { method: "DELETE", key }),
      await api.call(`${path}/export?format=srt`, { key }),
    ];
    for (const answer of answers)
      expect(await faultOf(answer)).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect((await load()).revision).toBe(0);
    expect((await api.call(path, { key: null })).status).toBe(401);
  });

  it("[Y7] are deleted with the Task", async () => {
    await put(edit());
    await api.call(`/tasks/${task.id}`, { method: "DELETE" });
    expect((await api.call(path)).status).toBe(404);
    const { rows } = await api.database.pool.query("select from word_edits where target_id = $1", [
      task.targets[0]?.id,
    ]);
    expect(rows).toEqual([]);
  });

  it("[Y7] are available whatever formats were requested, and only for text targets", async () => {
    const other = await makeWordsTask(api, [
      { model: "transcription", formats: ["srt"] },
      { model: "vocals", formats: ["wav"] },
    ]);
    const [spoken, vocals] = other.targets;
    expect(spoken?.output.map(({ format }) => format)).toEqual(["srt"]);
    const words = await api.call(`/tasks/${other.id}/targets/${spoken?.id}/words`);
    expect(((await words.json()) as Words).text).toBe("Seven ships sailed\nacross the sea\n");
    const fault = await faultOf(await api.call(`/tasks/${other.id}/targets/${vocals?.id}/words`));
    expect(fault).toMatchObject({ status: 404, code: "WORDS_UNKNOWN" });
    expect((await api.call(`/tasks/${other.id}/targets/${task.targets[0]?.id}/words`)).status).toBe(404);
  });

  it("[Y7] [Y9] [Y10] a given text may have words of any length and with any character, also when others are edited", async () => {
    const text = `${"a".repeat(1001)}\u0000 `;
    const line = { ...word(text, 1, 2), words: [{ ...word(text, 1, 2), confidence: 0 }] };
    const content = JSON.stringify({ text, lines: [line], metadata: {} });
    const folder = join(api.dataDir, "blobs", "outputs", task.id, task.targets[0]?.id ?? "");
    await writeFile(join(folder, "transcription.json"), content);
    expect((await load()).lines).toEqual([line]);
    expect(await (await api.call(`${path}/export?format=txt`)).text()).toBe(text);
    expect(
      (await put({ revision: 0, lines: [{ words: [word(text, 1, 2), word("more", 2, 3)] }] })).status,
    ).toBe(200);
    expect((await load()).text).toBe(`${text}more`);
  });

  it("[Y7] that are no longer stored are reported as such; an edit of them stays", async () => {
    await put(edit());
    await api.database.pool.query("delete from outputs where target_id = $1", [task.targets[0]?.id]);
    expect((await load()).text).toBe("Eleven ships\nsailed ");
    const fault = await faultOf(await api.call(path, { method: "DELETE" }));
    expect(fault).toMatchObject({ code: "WORDS_UNKNOWN", message: expect.stringMatching(/no longer kept/) });
  });
});

describe("exports", () => {
  it.each([
    ["json", "application/json", /^\{"text":"Eleven ships\\nsailed ",.*"speaker":"B"/],
    ["srt", "application/x-subrip", /^1\n00:00:01,000 --> /],
    ["vtt", "text/vtt", /^WEBVTT\n/],
    ["txt", "text/plain", /^Eleven ships\nB: sailed $/],
    ["lrc", "text/plain", /<00:01\.00>Eleven /],
    ["ass", "text/x-ssa", /\{\\k50\}Eleven /],
    ["ultrastar", "text/plain", /^: 0 25 0 Eleven $/m],
  ])("[Y10] gives the words as edited, as %s", async (format, type, content) => {
    await put(edit());
    const answer = await api.call(`${path}/export?format=${format}`);
    expect(answer.headers.get("content-type")).toContain(type);
    const fileName = format === "ultrastar" ? "transcription.ultrastar.txt" : `transcription.${format}`;
    const shown = fileName.replace(".", " (edited).");
    expect(answer.headers.get("content-disposition")).toBe(
      `attachment; filename="${fileName}"; filename*=UTF-8''${encodeURIComponent(`speech - ${shown}`).replaceAll(/[()]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)}`,
    );
    expect(await answer.text()).toMatch(content);
  });

  it("[Y11] gives the service's own words on request, and the edited ones with their speakers", async () => {
    await put(edit());
    const load = async (query: string) => await (await api.call(`${path}/export?${query}`)).text();
    expect(await load("format=txt&version=original")).toBe("Seven ships sailed\nacross the sea\n");
    const renamed = edit(1);
    const [, second] = renamed.lines;
    await put({ ...renamed, lines: [renamed.lines[0], { ...second, speaker: "Ada <b>" }] });
    expect(await load("format=txt")).toBe("Eleven ships\nAda <b>: sailed ");
    expect(await load("format=vtt&version=edited")).toContain("<v Ada &lt;b&gt;>sailed");
    expect((await faultOf(await api.call(`${path}/export?format=txt&version=first`))).status).toBe(400);
  });

  it("[EX2] [Y11] are in the zip as edited, or as the service wrote them", async () => {
    await put(edit());
    const exports = async (query = "") =>
      (await (await api.call(`/tasks/${task.id}/exports${query}`)).json()) as TaskExports;
    const read = async ({ archive }: TaskExports) => {
      const zip = Buffer.from(await (await fetch(archive?.link ?? "")).arrayBuffer());
      expect(zip.length).toBe(archive?.size);
      return zip.toString();
    };
    const edited = await exports();
    expect(edited.editedTargets).toEqual([task.targets[0]?.id]);
    expect(await read(edited)).toMatch(/speech - transcription \(edited\)\.json[\s\S]*Eleven/);
    expect(await read(await exports("?version=original"))).toMatch(
      /speech - transcription\.json[\s\S]*Seven/,
    );
    // What the Task itself lists stays the original.
    const { targets } = (await (await api.call(`/tasks/${task.id}`)).json()) as Task;
    const output = await fetch(targets[0]?.output[0]?.link ?? "");
    expect(await output.text()).toContain("Seven");
    expect(output.headers.get("content-disposition")).toBe(
      "attachment; filename=\"transcription.json\"; filename*=UTF-8''speech%20-%20transcription.json",
    );
  });

  it("[Y10] an unknown format is 400 and lists the others", async () => {
    const fault = await faultOf(await api.call(`${path}/export?format=doc`));
    expect(fault).toMatchObject({ status: 400, message: expect.stringMatching(/json.*ultrastar/) });
  });
});
