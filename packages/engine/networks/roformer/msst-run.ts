import { z } from "zod";
import { type Checkpoint, CheckpointRefused } from "../architecture.ts";

const wholeNumber = z.int().positive();

/** The sections of a configuration of Music-Source-Separation-Training that say how a network is run; `model` is the architecture's own. */
const sectionsSchema = z.object({
  audio: z.object({ chunk_size: wholeNumber.optional(), sample_rate: wholeNumber.optional() }).default({}),
  model: z.record(z.string(), z.unknown()).default({}),
  training: z
    .object({
      instruments: z.array(z.string().min(1)).min(1).optional(),
      target_instrument: z.string().min(1).nullish(),
    })
    .default({}),
  inference: z
    .object({
      chunk_size: wholeNumber.optional(),
      num_overlap: z.int().min(1).max(64).optional(),
      normalize: z.boolean().optional(),
    })
    .default({}),
});

/** What a configuration says of running the network, whatever its architecture; undefined where it says nothing. */
export type MsstRun = {
  model: Record<string, unknown>;
  sampleRateHz: number | undefined;
  chunkFrames: number | undefined;
  overlapCount: number | undefined;
  isLevelled: boolean;
  /** The stems in order: the target alone, if there is one. */
  stems: string[] | undefined;
};

export function readMsstRun({ fileName, msst }: Pick<Checkpoint, "fileName" | "msst">): MsstRun {
  const { data, error } = sectionsSchema.safeParse(msst ?? {});
  if (data === undefined)
    throw new CheckpointRefused(`The configuration for ${fileName} is invalid: ${z.prettifyError(error)}`);
  const { audio, model, training, inference } = data;
  return {
    model,
    sampleRateHz: audio.sample_rate,
    chunkFrames: inference.chunk_size ?? audio.chunk_size,
    overlapCount: inference.num_overlap,
    isLevelled: inference.normalize ?? false,
    stems: training.target_instrument ? [training.target_instrument] : training.instruments,
  };
}

/** A value of the section `model`, checked; undefined if it is absent. */
export function readMsstModel<Value>(
  { model }: MsstRun,
  key: string,
  schema: z.ZodType<Value>,
): Value | undefined {
  const value = model[key];
  if (value === undefined || value === null) return undefined;
  const { data, success } = schema.safeParse(value);
  if (!success) throw new CheckpointRefused(`The configuration has an invalid value of model.${key}.`);
  return data;
}
