// Vercel's AI SDK, pointed at the service by its base URL.

import { readFile } from "node:fs/promises";
import { createOpenAI } from "@ai-sdk/openai";
import { transcribe } from "ai";

const openai = createOpenAI({ apiKey: process.env.API_KEY, baseURL: `${process.env.BASE_URL}/v1` });
const { text, segments, language } = await transcribe({
  model: openai.transcription("whisper-1"),
  audio: await readFile("song.wav"),
  providerOptions: { openai: { timestampGranularities: ["segment"] } },
});
console.log(JSON.stringify({ text, segments: segments.length, language }));
