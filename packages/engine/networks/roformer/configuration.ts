import { z } from "zod";

/** What a RoFormer is built by and its weights do not say. */
export const roformerConfigurationSchema = z.strictObject({
  /** Of the Fourier transform, and of its window. */
  fftSize: z.int().min(64).max(32_768),
  hopFrames: z.int().min(1).max(16_384),
  /** Whether the transform is divided by the root of its size. */
  isNormalized: z.boolean(),
  /** Whether bin 0 of every stem is silent. */
  zeroDc: z.boolean(),
  /** Whether every block reads the sum of the blocks before it, too. */
  hasSkips: z.boolean(),
});

export type RoformerConfiguration = z.infer<typeof roformerConfigurationSchema>;
