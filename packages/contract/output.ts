import { z } from "zod";

export const outputFile = z
  .object({
    name: z.string().meta({ description: "File name without extension", example: "vocals" }),
    format: z.string().meta({ example: "wav" }),
    link: z
      .string()
      .meta({ description: "Download link, good for one hour; fetch the Task again for a fresh one" }),
    type: z.string().meta({ description: "MIME type", example: "audio/wav" }),
    size: z.int().meta({ description: "Bytes" }),
    clippedSamples: z
      .int()
      .exactOptional()
      .meta({ description: "Samples cut off at full scale, where there are any; wav with 32 bits has none" }),
  })
  .meta({ id: "OutputFile" });
export type OutputFile = z.infer<typeof outputFile>;
