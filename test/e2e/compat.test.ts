import { createReadStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeBytes } from "../support/measure.ts";
import { SERVICE_KEY, type Service, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const FIXTURES = join(import.meta.dirname, "../../packages/engine/transcription/support");
const ENGLISH = join(FIXTURES, "english.opus");
const SPANISH = join(FIXTURES, "spanish.opus");

let dataDir: string;
let service: Service;
let client: OpenAI;
beforeAll(async () => {
  dataDir = await makeTempDir("compat");
  service = await startService({ dataDir, environment: { SPEECH_MODEL: "whisper-tiny" } });
  client = new OpenAI({ apiKey: SERVICE_KEY, baseURL: `${service.address}/v1` });
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Decodes a file like Bazarr's ffmpeg call: 16-bit samples, mono, 16 kHz. */
async function decodeAsBazarr(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const { samples, channels, sampleRateHz, lengthFrames } = await decodeBytes(await readFile(path));
  const step = sampleRateHz / 16_000;
  const raw = new Int16Array(Math.floor(lengthFrames / step));
  for (let n = 0; n < raw.length; n += 1) raw[n] = 32_767 * (samples[Math.floor(n * step) * channels] ?? 0);
  return new Uint8Array(raw.buffer);
}

/** Sent like Python's requests does, with the key in the endpoint's URL. */
async function sendAsBazarr(path: string, content: Uint8Array<ArrayBuffer>): Promise<Response> {
  const body = new FormData();
  body.append("audio_file", new File([content], "audio_file"));
  const authorization = `Basic ${Buffer.from(`bazarr:${SERVICE_KEY}`).toString("base64")}`;
  return await fetch(new URL(path, service.address), { method: "POST", body, headers: { authorization } });
}

describe("a real recording", () => {
  it("[J10] is transcribed for OpenAI's own client, with words and segments", async () => {
    const answer = await client.audio.transcriptions.create({
      file: createReadStream(ENGLISH),
      model: "whisper-1",
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    expect(answer.text.toLowerCase()).toContain("captain counted every wave");
    expect(answer.language).toBe("english");
    const times = answer.words?.flatMap(({ start, end }) => [start, end]) ?? [];
    expect(times.length).toBeGreaterThan(20);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThanOrEqual(answer.duration);
    expect(
      answer.segments
        ?.map(({ text }) => text)
        .join("")
        .trim(),
    ).toBe(answer.text);
  });

  it("[J10] [V11] is translated for it", async () => {
    const file = createReadStream(SPANISH);
    const { text } = await client.audio.translations.create({
      file,
      model: "whisper-1",
      prompt: "The weather.",
    });
    expect(text).toMatch(/morning|weather|mountains|coast/i);
    expect(text).not.toMatch(/montañas|costa/i);
  });

  it("[J11] is streamed to it", async () => {
    const stream = await client.audio.transcriptions.create({
      file: createReadStream(ENGLISH),
      model: "gpt-4o-mini-transcribe",
      stream: true,
    });
    let deltas = "";
    let whole = "";
    for await (const event of stream) {
      if (event.type === "transcript.text.delta") deltas += event.delta;
      if (event.type === "transcript.text.done") whole = event.text;
    }
    expect(whole).toContain("captain");
    expect(deltas.trim()).toBe(whole);
  });

  it("[J14] [J15] gets its language and subtitles, from raw samples, as Bazarr requests them", async () => {
    const raw = await decodeAsBazarr(SPANISH);
    const detected = await sendAsBazarr("/detect-language?encode=false&video_file=None", raw);
    expect(await detected.json()).toMatchObject({ detected_language: "spanish", language_code: "es" });
    const subtitles = await sendAsBazarr("/asr?task=transcribe&language=es&output=srt&encode=false", raw);
    expect(subtitles.status).toBe(200);
    const srt = await subtitles.text();
    expect(srt).toMatch(/^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n/);
    expect(srt.toLowerCase()).toContain("montañas");
  });

  it("[J16] leaves nothing behind", async () => {
    for (const path of ["/tasks", "/assets"]) expect(await (await service.call(path)).json()).toEqual([]);
  });
});
