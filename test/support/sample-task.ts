import type { Target, Task } from "@stemwright/contract";

export const sampleTarget = (fields: Partial<Target> = {}): Target => ({
  id: "g1",
  model: "vocals",
  status: "processing",
  formats: ["wav"],
  output: [],
  ...fields,
});

export const sampleTask = (
  targets: Target[] = [sampleTarget()],
  completedAt: string | null = null,
): Task => ({
  id: "t1",
  createdAt: "2026-01-31T09:30:00.000Z",
  completedAt,
  clientId: "c1",
  targets,
});
