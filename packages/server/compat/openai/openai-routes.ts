import { Readable } from "node:stream";
import {
  type ApiError,
  apiErrorBody,
  openAiError,
  openAiModel,
  openAiModelList,
  openAiTranscription,
  openAiVerboseTranscription,
  type TargetRequest,
} from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { toApiError } from "../../http/errors/error-mapper.ts";
import { discardUpload } from "../../http/uploads/keep-asset.ts";
import { type ReceivedUpload, receiveUpload } from "../../http/uploads/receive-upload.ts";
import { answerUpload, type CompatApi } from "../answer-upload.ts";
import { COMPAT_CONFIG, COMPAT_SECURITY } from "../compat-config.ts";
import { parseTarget, toPrompt } from "../parse-target.ts";
import type { WaitingResult } from "../run-waiting-task.ts";
import { shouldRetry, toOpenAiError } from "./openai-errors.ts";
import { getOpenAiModel, listOpenAiModels, SPEECH_MODEL } from "./openai-models.ts";
import { makeTranscriptEvents } from "./transcript-events.ts";
import { toTranscription, toVerboseTranscription } from "./transcription-answers.ts";
import {
  describeTranscriptionForm,
  FORM_FIELDS,
  parseTranscriptionForm,
  type ResponseFormat,
  type TranscriptionForm,
} from "./transcription-form.ts";

const shared = { tags: ["OpenAI"], security: COMPAT_SECURITY };
const config = {
  ...COMPAT_CONFIG,
  toErrorBody: (error: ApiError) => toOpenAiError(error),
  toErrorHeaders: (error: ApiError) => (shouldRetry(error) ? {} : { "x-should-retry": "false" }),
};
/** Oversized headers are rejected before the interface is known. */
const failures = { "4xx": openAiError, "431": apiErrorBody, "5xx": openAiError };

/** The output of the Task that a response is made from. */
const OUTPUT_OF: Record<ResponseFormat, "json" | "txt" | "srt" | "vtt"> = {
  json: "json",
  verbose_json: "json",
  text: "json",
  srt: "srt",
  vtt: "vtt",
};

const textAnswer = z.unknown().meta({ type: "string" });

/** The Task of each route. */
const ROUTES = {
  transcribe: {
    url: "/v1/audio/transcriptions",
    summary: "Transcribe audio (OpenAI-compatible)",
  },
  translate: {
    url: "/v1/audio/translations",
    summary: "Translate audio into English (OpenAI-compatible)",
  },
} as const;
type SpeechTask = keyof typeof ROUTES;

export function addOpenAiRoutes(api: CompatApi): void {
  addModelRoutes(api);
  for (const task of Object.keys(ROUTES) as SpeechTask[]) addSpeechRoute(api, task);
}

function addSpeechRoute(api: CompatApi, task: SpeechTask): void {
  const { url, summary } = ROUTES[task];
  api.app.post(
    url,
    {
      config: { ...config, isLong: true },
      schema: {
        ...shared,
        summary,
        description: "Waits for the result; create Tasks for long recordings.",
        consumes: ["multipart/form-data"],
        formBody: describeTranscriptionForm(),
        response: {
          200: {
            description: "The words in the requested format",
            content: {
              "application/json": { schema: z.union([openAiVerboseTranscription, openAiTranscription]) },
              "text/plain": { schema: textAnswer },
              "text/event-stream": { schema: textAnswer },
            },
          },
          ...failures,
        },
      },
    },
    (request, reply) => answer(api, { request, reply }, task),
  );
}

function addModelRoutes({ app }: CompatApi): void {
  app.get(
    "/v1/models",
    {
      config,
      schema: {
        ...shared,
        summary: "List models (OpenAI-compatible)",
        response: { 200: openAiModelList, ...failures },
      },
    },
    async () => ({ object: "list" as const, data: listOpenAiModels() }),
  );
  app.get(
    "/v1/models/:model",
    {
      config,
      schema: {
        ...shared,
        summary: "Get a model (OpenAI-compatible)",
        params: z.object({ model: z.string() }),
        response: { 200: openAiModel, ...failures },
      },
    },
    async ({ params }) => getOpenAiModel(params.model),
  );
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

function toTarget(form: TranscriptionForm, task: SpeechTask): TargetRequest {
  const { language, prompt, response_format = "json", "keywords[]": keywords } = form;
  return parseTarget({
    model: SPEECH_MODEL,
    formats: [OUTPUT_OF[response_format]],
    ...(language === undefined ? {} : { language }),
    ...toPrompt(prompt),
    ...(keywords === undefined ? {} : { keywords }),
    ...(task === "translate" ? { translate: true } : {}),
  });
}

async function answer(api: CompatApi, exchange: Exchange, task: SpeechTask): Promise<unknown> {
  const { request, reply } = exchange;
  const received = await receiveUpload(api, request, { fileField: "file", fieldNames: FORM_FIELDS });
  const { form, target } = await readForm(api, received, task);
  const { response_format: format = "json" } = form;
  const isStream = /^(true|1)$/i.test(form.stream ?? "") && (format === "json" || format === "text");
  if (!isStream) return send(reply, { form, task }, await answerUpload(api, exchange, { received, target }));
  const accepted = Promise.withResolvers<void>();
  const answering = answerUpload(api, exchange, { received, target, onAccepted: accepted.resolve });
  await Promise.race([accepted.promise, answering]);
  const onError = (error: unknown) => {
    request.log.warn({ err: error }, "transcription stream ended with an error");
    return toApiError(error);
  };
  return reply
    .header("content-type", "text/event-stream; charset=utf-8")
    .header("cache-control", "no-store, no-transform")
    .header("connection", "close")
    .header("x-accel-buffering", "no")
    .send(Readable.from(makeTranscriptEvents(answering, onError), { objectMode: false }));
}

/** A form is checked once its file is stored; if it is invalid, the file is removed again. */
async function readForm(
  { ports }: CompatApi,
  { fields, stored }: ReceivedUpload,
  task: SpeechTask,
): Promise<{ form: TranscriptionForm; target: TargetRequest }> {
  try {
    const form = parseTranscriptionForm(fields);
    if (form.model !== undefined) getOpenAiModel(form.model);
    return { form, target: toTarget(form, task) };
  } catch (error) {
    await discardUpload(ports, stored.id);
    throw error;
  }
}

function send(
  reply: FastifyReply,
  { form, task }: { form: TranscriptionForm; task: SpeechTask },
  result: WaitingResult,
): unknown {
  const { response_format: format = "json" } = form;
  if (format === "json") return toTranscription(result, form["timestamp_granularities[]"]);
  if (format === "verbose_json")
    return toVerboseTranscription(result, {
      task,
      granularities: form["timestamp_granularities[]"] ?? ["segment"],
    });
  const content = format === "text" ? `${toTranscription(result).text}\n` : result.content;
  return reply.header("content-type", "text/plain; charset=utf-8").send(content);
}
