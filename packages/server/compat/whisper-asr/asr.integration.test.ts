import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../test/support/audio.ts";
import { makeSpeakingEngine, SPOKEN } from "../../../../test/support/speaking-engine.ts";
import { startTestApi, type TestApi } from "../../../../test/support/test-api.ts";
import { startWorkerOfApi } from "../../../../test/support/test-worker.ts";

let api: TestApi;
let worker: Awaited<ReturnType<typeof startWorkerOfApi>>;
const engine = makeSpeakingEngine();
const wav = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 200 }));
beforeAll(async () => {
  api = await startTestApi();
  worker = await startWorkerOfApi(api, engine.run);
});
afterAll(async () => {
  await worker.close();
  await api.close();
});

/** Sent like Python's requests sends bytes. */
const send = (
  path: string,
  content: string | Uint8Array<ArrayBuffer> = wav,
  init: RequestInit & { key?: string | null } = {},
) => {
  const body = new FormData();
  body.append("audio_file", new File([content], "audio_file"));
  return api.call(path, { method: "POST", body, ...init });
};

describe("POST /asr", () => {
  it("[J14] answers with txt, srt, vtt, tsv or json, as text", async () => {
    const ask = async (output: string) => {
      const response = await send(`/asr?task=transcribe&language=en&output=${output}`);
      expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(response.headers.get("content-disposition")).toContain(`audio_file.${output}`);
      return await response.text();
    };
    expect(await ask("txt")).toBe("Seven ships sailed.\nThey sank.\n");
    expect(await ask("tsv")).toBe(
      "start\tend\ttext\n500\t1900\tSeven ships sailed.\n2000\t2900\tThey sank.\n",
    );
    expect(await ask("srt")).toMatch(/^1\n00:00:00,500 --> 00:00:02,900\n/);
    expect(await ask("vtt")).toMatch(/^WEBVTT\n/);
    expect(JSON.parse(await ask("json"))).toEqual({
      text: "Seven ships sailed. They sank.",
      segments: SPOKEN.lines.map(({ start, end, text }, id) => ({ id, start, end, text })),
      language: "en",
    });
  });

  it("[J14] has the words of each segment on request, and is txt by default", async () => {
    const json = await (await send("/asr?output=json&word_timestamps=true")).json();
    expect(json).toMatchObject({
      segments: [{ words: [{ word: "Seven ", start: 0.5, end: 0.9, probability: 0.9 }, {}, {}] }, {}],
    });
    expect(await (await send("/asr")).text()).toBe("Seven ships sailed.\nThey sank.\n");
  });

  it("[J14] takes raw audio if declared as not encoded, and files anyway", async () => {
    const samples = Buffer.from(new Int16Array(200).map((_, n) => 8000 * Math.sin(n)).buffer);
    for (const content of [samples, wav]) expect((await send("/asr?encode=false", content)).status).toBe(200);
    expect((await send("/asr", samples)).status).toBe(400);
    expect(await (await send("/asr?encode=false", "")).json()).toMatchObject({ code: "UPLOAD_EMPTY" });
  });

  it("[J14] translates, and takes a prompt", async () => {
    engine.targets.length = 0;
    expect((await send("/asr?task=translate&language=es&initial_prompt=Ships")).status).toBe(200);
    expect(engine.targets).toMatchObject([{ translate: true, language: "es", prompt: "Ships" }]);
  });

  it("[J14] refuses another output, task and language", async () => {
    for (const query of ["output=xml", "task=sing", "language=xx"])
      expect(await (await send(`/asr?${query}`)).json()).toMatchObject({ statusCode: 400 });
  });
});

describe("POST /detect-language", () => {
  it("[J15] returns the language and its confidence", async () => {
    expect(await (await send("/detect-language")).json()).toEqual({
      detected_language: "english",
      language_code: "en",
      confidence: 0.98,
    });
  });
});

describe("keys", () => {
  it("[J9] are taken as the password of a URL", async () => {
    const toBasic = (login: string) => `Basic ${Buffer.from(login).toString("base64")}`;
    const ask = (authorization: string) => send("/asr", wav, { key: null, headers: { authorization } });
    expect((await ask(toBasic(`bazarr:${api.account.key}`))).status).toBe(200);
    expect((await ask(toBasic(`:${api.account.key}`))).status).toBe(200);
    expect((await ask(toBasic("bazarr:unknown"))).status).toBe(401);
    expect((await ask(toBasic(""))).status).toBe(401);
    expect((await send("/asr", wav, { key: null })).status).toBe(401);
  });
});
