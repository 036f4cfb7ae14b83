import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Task } from "@stemwright/contract";
import OpenAI, { type APIError, AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../test/support/audio.ts";
import { makeSpeakingEngine, SPOKEN } from "../../../../test/support/speaking-engine.ts";
import { startTestApi, type TestApi } from "../../../../test/support/test-api.ts";
import { startWorkerOfApi } from "../../../../test/support/test-worker.ts";
import { insertKey } from "../../db/accounts/key-rows.ts";
import { makeKey } from "../../domain/accounts/key-secrets.ts";

let api: TestApi;
let client: OpenAI;
let worker: Awaited<ReturnType<typeof startWorkerOfApi>>;
const engine = makeSpeakingEngine();
const wav = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 200 }));
const makeFile = (content: string | Uint8Array<ArrayBuffer> = wav, name = "speech.wav") =>
  new File([content], name);
const makeClient = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: `${api.address}/v1`, maxRetries: 0, timeout: 30_000 });

beforeAll(async () => {
  api = await startTestApi();
  worker = await startWorkerOfApi(api, engine.run);
  client = makeClient(api.account.key);
});
afterAll(async () => {
  await worker.close();
  await api.close();
});

const model = "whisper-1";
const text = SPOKEN.text.trim();
const listLeft = async () =>
  await Promise.all(
    ["/tasks", "/assets"].map(async (path) => (await (await api.call(path)).json()) as Task[]),
  );
/** A raw request, as any program may send it. */
const send = (fields: [string, string | File][], init: { key?: string } = {}) => {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  return api.call("/v1/audio/transcriptions", { method: "POST", body, ...init });
};
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("transcriptions through OpenAI's client", () => {
  it("[J10] are json by default, and leave neither Task nor asset behind", async () => {
    const answer = await client.audio.transcriptions.create({ file: makeFile(), model });
    expect(answer).toEqual({ text, usage: { type: "duration", seconds: 4 } });
    expect(await listLeft()).toEqual([[], []]);
  });

  it("[J10] come as text, srt and vtt", async () => {
    const create = (response_format: "text" | "srt" | "vtt") =>
      client.audio.transcriptions.create({ file: makeFile(), model, response_format });
    expect(await create("text")).toBe(`${text}\n`);
    expect(await create("srt")).toContain("00:00:00,500 --> 00:00:02,900");
    expect(await create("vtt")).toMatch(/^WEBVTT\n\n00:00:00\.500/);
  });

  it("[J10] come as verbose_json with segments, words or both", async () => {
    const create = (timestamp_granularities: ("word" | "segment")[] | undefined) =>
      client.audio.transcriptions.create({
        file: makeFile(),
        model: "gpt-4o-transcribe",
        response_format: "verbose_json",
        ...(timestamp_granularities ? { timestamp_granularities } : {}),
      });
    const answer = await create(undefined);
    expect(answer).toMatchObject({ task: "transcribe", language: "english", duration: 3.25, text });
    expect(answer).not.toHaveProperty("words");
    expect(answer.segments?.map(({ id, start, end, text: line }) => [id, start, end, line])).toEqual(
      SPOKEN.lines.map((line, id) => [id, line.start, line.end, line.text]),
    );
    expect(answer.segments?.[0]?.avg_logprob).toBeCloseTo(Math.log(0.9), 3);
    const words = await create(["word"]);
    expect(words).not.toHaveProperty("segments");
    expect(words.words).toHaveLength(5);
    expect(words.words?.[0]).toEqual({ word: "Seven", start: 0.5, end: 0.9 });
    const both = await create(["word", "segment"]);
    expect([both.words?.length, both.segments?.length]).toEqual([5, 2]);
  });

  it("[J10] have times in json on request, as Subtitle Edit needs", async () => {
    const granularities = ["segment", "word"].map((each): [string, string] => [
      "timestamp_granularities[]",
      each,
    ]);
    const response = await send([["file", makeFile()], ["response_format", "json"], ...granularities]);
    const answer = (await response.json()) as { segments: { start: number }[]; words: unknown[] };
    expect(answer.segments.map(({ start }) => start)).toEqual(SPOKEN.lines.map(({ start }) => start));
    expect(answer.words).toHaveLength(5);
  });

  it("[J10] take a language, in any case, and a temperature", async () => {
    engine.targets.length = 0;
    await client.audio.transcriptions.create({ file: makeFile(), model, language: "EN", temperature: 0.2 });
    expect(engine.targets).toMatchObject([{ model: "transcription", language: "en" }]);
  });

  it("[J11] are streamed as a delta per line and the whole text", async () => {
    const stream = await client.audio.transcriptions.create({ file: makeFile(), model, stream: true });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events).toEqual([
      ...SPOKEN.lines.map((line) => ({ type: "transcript.text.delta", delta: line.text })),
      { type: "transcript.text.done", text, usage: { type: "duration", seconds: 4 } },
    ]);
    expect(await listLeft()).toEqual([[], []]);
  });

  it("[J11] a stream that can't start is refused with a status", async () => {
    const refused = client.audio.transcriptions.create({
      file: makeFile("no sound"),
      model,
      stream: true,
    });
    expect(await failureOf(refused)).toMatchObject({ status: 400, code: "media_unreadable" });
  });
});

describe("prompts and keywords", () => {
  it("[J10] [V10] the end of a prompt and keywords are passed on", async () => {
    engine.targets.length = 0;
    const prompt = `${"Long ago. ".repeat(200)}Siobhan sails.`;
    const keywords = ["Siobhan", "Nguyen"];
    await client.audio.transcriptions.create({ file: makeFile(), model, prompt, keywords });
    expect(engine.targets).toMatchObject([{ keywords, prompt: expect.stringMatching(/Siobhan sails\.$/) }]);
  });

  it("[J13] too many keywords are 400", async () => {
    const keywords = Array.from({ length: 101 }, (_, n) => `name ${n}`);
    const refused = client.audio.transcriptions.create({ file: makeFile(), model, keywords });
    expect(await failureOf(refused)).toMatchObject({ status: 400, param: "keywords" });
  });

  it("[J10] [V11] translations are into English", async () => {
    engine.targets.length = 0;
    const file = makeFile();
    expect(await client.audio.translations.create({ file, model })).toMatchObject({ text });
    const verbose = await client.audio.translations.create({ file, model, response_format: "verbose_json" });
    expect(verbose).toMatchObject({ task: "translate", text });
    expect(engine.targets).toMatchObject([{ translate: true }, { translate: true }]);
  });
});

describe("models by OpenAI's names", () => {
  it("[J12] are listed and found one by one", async () => {
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(["transcription", "whisper-1"]));
    for (const { id } of data)
      expect(await client.models.retrieve(id)).toMatchObject({ id, object: "model" });
    for (const id of ["whisper-large-v3", "gpt-4o-mini-transcribe-2025-12-15"])
      expect(await client.models.retrieve(id)).toMatchObject({ id });
  });

  it("[J12] another name is 404, for models and transcriptions", async () => {
    const failures = [
      await failureOf(client.models.retrieve("gpt-9")),
      await failureOf(client.audio.transcriptions.create({ file: makeFile(), model: "gpt-9" })),
    ];
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(NotFoundError);
      expect(failure).toMatchObject({ code: "model_not_found", param: "model" });
    }
    expect(await listLeft()).toEqual([[], []]);
  });
});

describe("keys", () => {
  it("[J9] are taken as a bearer token and in x-api-key", async () => {
    const authorization = `Bearer ${api.account.key}`;
    for (const headers of [{ authorization }, { "x-api-key": api.account.key }])
      expect((await api.call("/v1/models", { key: null, headers })).status).toBe(200);
    const both = { authorization, "x-api-key": "unknown" };
    expect((await api.call("/v1/models", { key: null, headers: both })).status).toBe(200);
  });

  it("[J9] [J13] none, an unknown one and a token of the Jobs interface are 401", async () => {
    const token = makeKey();
    const { clientId } = api.account;
    await insertKey(api.database.db, {
      clientId,
      name: "old",
      role: "client",
      kind: "legacy",
      secret: token,
    });
    for (const key of [token, "unknown"]) {
      const failure = await failureOf(makeClient(key).models.list());
      expect(failure).toBeInstanceOf(AuthenticationError);
      expect(failure).toMatchObject({ code: "invalid_api_key", type: "invalid_request_error" });
    }
    const response = await api.call("/v1/models", { key: null });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: "invalid_api_key", param: null } });
  });
});

describe("refused requests", () => {
  it.each<[string, [string, string | File][], string | null]>([
    ["a missing file", [["model", model]], "upload_file_missing"],
    [
      "an empty file",
      [
        ["file", makeFile("")],
        ["model", model],
      ],
      "upload_empty",
    ],
    [
      "two files",
      [
        ["file", makeFile()],
        ["file", makeFile()],
      ],
      "upload_file_extra",
    ],
    ["a file in another part", [["sound", makeFile()]], "upload_file_missing"],
    ["what is no sound", [["file", makeFile("text, not sound", "a.mp3")]], "media_unreadable"],
    ["what is no accepted file", [["file", makeFile("MZ\0\0", "a.exe")]], "upload_format_unsupported"],
    [
      "an unknown language",
      [
        ["file", makeFile()],
        ["language", "xx"],
      ],
      "language_unsupported",
    ],
    [
      "an unknown format",
      [
        ["file", makeFile()],
        ["response_format", "xml"],
      ],
      "request_invalid",
    ],
    [
      "a temperature that is none",
      [
        ["file", makeFile()],
        ["temperature", "hot"],
      ],
      "request_invalid",
    ],
    [
      "an unknown granularity",
      [
        ["file", makeFile()],
        ["timestamp_granularities[]", "letter"],
      ],
      "request_invalid",
    ],
    [
      "a field that is too large",
      [
        ["file", makeFile()],
        ["language", "e".repeat(65_537)],
      ],
      "request_invalid",
    ],
  ])("[J13] %s is 400 in OpenAI's shape, and leaves nothing", async (_what, fields, code) => {
    const response = await send(fields);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", code } });
    expect(await listLeft()).toEqual([[], []]);
    expect(await readdir(join(api.dataDir, "blobs", "assets"))).toEqual([]);
  });

  it("[J13] name the invalid field", async () => {
    const failure = await failureOf(
      client.audio.transcriptions.create({ file: makeFile(), model, language: "xx" }),
    );
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure).toMatchObject({ param: "language", requestID: expect.any(String) });
    expect((failure as APIError).message).not.toContain("targets[0]");
  });

  it("[J10] empty fields count as absent", async () => {
    const response = await send([
      ["model", ""],
      ["language", ""],
      ["response_format", ""],
      ["file", makeFile()],
    ]);
    expect(response.status).toBe(200);
  });

  it("[J13] [J16] need credits like any Task", async () => {
    const metered = await api.addAccount({ isMetered: true });
    const failure = await failureOf(
      makeClient(metered.key).audio.transcriptions.create({ file: makeFile(), model }),
    );
    expect(failure).toMatchObject({ status: 402, code: "insufficient_quota" });
  });
});
