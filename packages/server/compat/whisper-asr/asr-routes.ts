import { asrQuery, detectedLanguage, detectLanguageQuery, type TargetRequest } from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { toContentDisposition } from "../../domain/content-disposition.ts";
import { receiveUpload } from "../../http/uploads/receive-upload.ts";
import { answerUpload, type CompatApi } from "../answer-upload.ts";
import { COMPAT_CONFIG, COMPAT_SECURITY } from "../compat-config.ts";
import { parseTarget, toPrompt } from "../parse-target.ts";
import { OUTPUT_OF, toAsrAnswer, toDetectedLanguage } from "./asr-answers.ts";
import { wrapRawSound } from "./raw-sound.ts";

const FILE_FIELD = "audio_file";
/** Enough to detect a language, and a target costs at least a minute: only this much of raw audio is used. */
const DETECT_SECONDS = 60;

const shared = {
  tags: ["whisper-asr-webservice"],
  security: [...COMPAT_SECURITY, { basicKey: [] }],
  consumes: ["multipart/form-data"],
  formBody: {
    type: "object",
    required: [FILE_FIELD],
    properties: { [FILE_FIELD]: { type: "string", format: "binary" } },
  },
};
const config = { ...COMPAT_CONFIG, isLong: true };

type Exchange = { request: FastifyRequest; reply: FastifyReply };

async function transcribeUpload(
  api: CompatApi,
  exchange: Exchange,
  upload: { target: TargetRequest; isRaw: boolean; maxSeconds?: number },
) {
  const { target, isRaw, maxSeconds } = upload;
  const received = await receiveUpload(api, exchange.request, {
    fileField: FILE_FIELD,
    ...(isRaw ? { adapt: (file) => wrapRawSound(file, maxSeconds === undefined ? {} : { maxSeconds }) } : {}),
  });
  const { content } = await answerUpload(api, exchange, { received, target });
  return { content, name: received.stored.name };
}

export function addAsrRoutes(api: CompatApi): void {
  api.app.post(
    "/asr",
    {
      config,
      schema: {
        ...shared,
        summary: "Transcribe audio (whisper-asr-webservice-compatible)",
        description: "Waits for the result.",
        querystring: asrQuery,
        response: {
          200: {
            description: "The words in the requested format",
            content: { "text/plain": { schema: z.unknown().meta({ type: "string" }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const { query } = request;
      const { task, language, initial_prompt, output, encode } = query;
      const target = parseTarget({
        model: "transcription",
        formats: [OUTPUT_OF[output]],
        ...(language ? { language } : {}),
        ...toPrompt(initial_prompt),
        ...(task === "translate" ? { translate: true } : {}),
      });
      const { content, name } = await transcribeUpload(api, { request, reply }, { target, isRaw: !encode });
      return reply
        .header("content-type", "text/plain; charset=utf-8")
        .header("content-disposition", toContentDisposition(`transcript.${output}`, `${name}.${output}`))
        .send(toAsrAnswer(content, query));
    },
  );

  api.app.post(
    "/detect-language",
    {
      config,
      schema: {
        ...shared,
        summary: "Detect the language (whisper-asr-webservice-compatible)",
        description: `Of raw sound (\`encode=false\`) the first ${DETECT_SECONDS} seconds are listened to, of other files the whole.`,
        querystring: detectLanguageQuery,
        response: { 200: detectedLanguage },
      },
    },
    async (request, reply) => {
      const target = { model: "transcription", formats: ["json"] };
      const upload = { target, isRaw: !request.query.encode, maxSeconds: DETECT_SECONDS };
      return toDetectedLanguage((await transcribeUpload(api, { request, reply }, upload)).content);
    },
  );
}
