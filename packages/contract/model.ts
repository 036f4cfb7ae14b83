import { z } from "zod";

export const MODEL_ACCESS = ["enabled", "requestAccess"] as const;
export type ModelAccess = (typeof MODEL_ACCESS)[number];

const installed = z.boolean().meta({
  description:
    "Whether this installation has the network for it. If not, `access` is `requestAccess` and no grant changes that",
});

export const modelInput = z
  .object({
    id: z.string(),
    description: z.string().optional(),
    required: z.boolean().optional(),
    taskFields: z.array(z.string()).optional().meta({ description: "Task fields that carry the input" }),
    formats: z
      .object({
        audio: z.array(z.string()).optional(),
        video: z.array(z.string()).optional(),
        text: z.array(z.string()).optional(),
      })
      .optional(),
  })
  .meta({ id: "InputOfModel" });
export type ModelInput = z.infer<typeof modelInput>;

export const modelVariant = z
  .object({
    id: z.string(),
    description: z.string(),
    access: z.enum(MODEL_ACCESS),
    installed,
    creditsPerMinute: z.number().optional(),
  })
  .meta({ id: "ModelVariant" });
export type ModelVariant = z.infer<typeof modelVariant>;

export const model = z
  .object({
    id: z.string(),
    name: z.string(),
    category: z.string(),
    description: z.string(),
    access: z.enum(MODEL_ACCESS),
    installed,
    creditsPerMinute: z.number().optional(),
    limits: z.object({ maxInputDurationSeconds: z.number() }).optional(),
    inputs: z.array(modelInput).optional(),
    outputFormats: z.array(z.string()).optional(),
    supportedLanguages: z.array(z.string()).optional().meta({ description: "ISO 639-1" }),
    variants: z.array(modelVariant).optional(),
    weights: z
      .object({ name: z.string(), licence: z.string() })
      .optional()
      .meta({ description: "The network behind the model, and its licence" }),
    scores: z
      .array(z.object({ measure: z.string(), dataset: z.string(), value: z.number() }))
      .optional()
      .meta({ description: "Measured quality" }),
    contains: z.array(z.string()).optional().meta({
      description:
        "Ids of the models whose sound is a part of this one's: mixed with it they would be twice as loud",
    }),
  })
  .meta({ id: "Model" });
export type Model = z.infer<typeof model>;

export const modelList = z.object({ models: z.array(model) }).meta({ id: "ModelList" });
export type ModelList = z.infer<typeof modelList>;
