import { z } from "zod";
import type { SandboxMode } from "../media/sandbox-mode.ts";
import { CHECKPOINT_ERROR_KINDS } from "./checkpoint-error.ts";
import type { Plain } from "./checkpoint-state.ts";

/** What the process that reads checkpoints is asked. Files are inherited descriptors, never paths. */
export type CheckpointWork =
  | { kind: "convert"; inputFd: number; outputFd: number }
  | { kind: "configuration"; inputFd: number };

export type CheckpointRequest = { work: CheckpointWork; sandbox: SandboxMode };

export const checkpointReportSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("progress"), fraction: z.number().min(0).max(1) }),
  z.object({ kind: z.literal("done"), result: z.unknown() }),
  z.object({ kind: z.literal("failed"), errorKind: z.enum(CHECKPOINT_ERROR_KINDS), message: z.string() }),
]);

export type CheckpointReport = z.infer<typeof checkpointReportSchema>;

const plainSchema: z.ZodType<Plain> = z.json();
export const settingsSchema = z.record(z.string(), plainSchema);
const portsSchema = z.array(z.object({ name: z.string(), shape: z.array(z.number()) }));

/** What a checkpoint says beside its tensors, which are in the output. */
export const checkpointFactsSchema = z.object({
  container: z.enum(["torch", "legacy-torch", "safetensors", "onnx"]),
  packaged: z.object({ klass: z.string(), args: z.array(plainSchema), kwargs: settingsSchema }).optional(),
  attributes: settingsSchema,
  graph: z.object({ inputs: portsSchema, outputs: portsSchema }).optional(),
});

export type CheckpointFacts = z.infer<typeof checkpointFactsSchema>;
