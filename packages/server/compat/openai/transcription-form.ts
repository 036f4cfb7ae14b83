import { z } from "zod";
import { toRequestError } from "../../http/errors/error-mapper.ts";
import type { FormField } from "../../http/uploads/receive-upload.ts";

const RESPONSE_FORMATS = ["json", "text", "srt", "verbose_json", "vtt"] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

/** Clients send fields without a value as empty. */
const orAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional());

const formSchema = z.object({
  model: orAbsent(z.string().max(200)).meta({ description: "One of GET /v1/models", example: "whisper-1" }),
  language: orAbsent(z.string().max(16)).meta({ description: "ISO 639-1; defaults to automatic detection" }),
  response_format: orAbsent(z.enum(RESPONSE_FORMATS)).meta({ default: "json" }),
  prompt: orAbsent(z.string()).meta({
    description:
      "Text that precedes the recording, to guide spelling and style; of a long one the end counts",
  }),
  "keywords[]": z
    .array(z.string())
    .optional()
    .meta({ description: "Names and terms that may occur, as spelled" }),
  temperature: orAbsent(z.coerce.number().min(0).max(1)).meta({
    description: "Accepted but unused: the network chooses the temperature by its confidence",
  }),
  stream: orAbsent(z.string().regex(/^(true|false|1|0)$/i, "must be true or false")).meta({
    description: "true or false. With json and text: server-sent events, once the transcription is complete",
  }),
  "timestamp_granularities[]": z
    .array(z.enum(["word", "segment"]))
    .optional()
    .meta({ description: "With verbose_json", default: ["segment"] }),
});

export type TranscriptionForm = z.infer<typeof formSchema>;

/** Arrays are spelled with and without brackets. */
const ARRAYS = Object.keys(formSchema.shape).filter((name) => name.endsWith("[]"));
const toFieldName = (name: string) => (ARRAYS.includes(`${name}[]`) ? `${name}[]` : name);

export const FORM_FIELDS = [
  ...Object.keys(formSchema.shape),
  ...ARRAYS.map((name) => name.slice(0, -"[]".length)),
];

export function parseTranscriptionForm(fields: readonly FormField[]): TranscriptionForm {
  const given: Record<string, string | string[]> = {};
  for (const { name, value } of fields) {
    const known = toFieldName(name);
    given[known] = ARRAYS.includes(known) ? [...(given[known] ?? []), value] : value;
  }
  const result = formSchema.safeParse(given);
  if (!result.success) throw toRequestError(result.error.issues);
  return result.data;
}

/** For the OpenAPI document: the form is parsed while it streams, and validated afterwards. */
export const describeTranscriptionForm = () => {
  const { properties } = z.toJSONSchema(formSchema, { io: "input" });
  return {
    type: "object",
    required: ["file"],
    properties: { file: { type: "string", format: "binary" }, ...properties },
  };
};
