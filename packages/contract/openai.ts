import { z } from "zod";

/** Responses of OpenAI's audio and models endpoints, with their names. */

const usage = z.object({ type: z.literal("duration"), seconds: z.number() });

const word = z.object({ word: z.string(), start: z.number(), end: z.number() });

const segment = z.object({
  id: z.int(),
  seek: z.int().meta({ description: "Always 0" }),
  start: z.number(),
  end: z.number(),
  text: z.string(),
  tokens: z.array(z.int()).meta({ description: "Always empty" }),
  temperature: z.number().meta({ description: "Always 0" }),
  avg_logprob: z.number().meta({ description: "Mean logarithm of the words' confidence" }),
  compression_ratio: z.number(),
  no_speech_prob: z.number().meta({ description: "Always 0: spans without speech have no segment" }),
});
export type OpenAiSegment = z.infer<typeof segment>;

const times = {
  segments: z.array(segment).exactOptional(),
  words: z.array(word).exactOptional(),
};

export const openAiTranscription = z.object({ text: z.string(), ...times, usage }).meta({
  id: "OpenAiTranscription",
  description: "`response_format` json; with times where `timestamp_granularities[]` asks for them",
});
export type OpenAiTranscription = z.infer<typeof openAiTranscription>;

export const openAiVerboseTranscription = z
  .object({
    task: z.enum(["transcribe", "translate"]),
    language: z.string().meta({ description: "In English, lower case", example: "english" }),
    duration: z.number(),
    text: z.string(),
    ...times,
    usage,
  })
  .meta({ id: "OpenAiVerboseTranscription", description: "`response_format` verbose_json" });
export type OpenAiVerboseTranscription = z.infer<typeof openAiVerboseTranscription>;

export const openAiModel = z
  .object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.string() })
  .meta({ id: "OpenAiModel" });
export type OpenAiModel = z.infer<typeof openAiModel>;

export const openAiModelList = z
  .object({ object: z.literal("list"), data: z.array(openAiModel) })
  .meta({ id: "OpenAiModelList" });

export const openAiError = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: "OpenAiError", description: "The body of every failed request to `/v1`" });
export type OpenAiError = z.infer<typeof openAiError>;
