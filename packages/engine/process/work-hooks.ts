import type { GapResult } from "../alignment/align-gap.ts";
import type { SpanResult } from "../separation/spans/run-span.ts";
import type { MadeSpan, SpanId, SpanPart } from "../separation/spans/span-exchange.ts";
import type { EngineReport } from "../targets/engine-request.ts";
import { ReportedError, rebuildEngineError, toError } from "./engine-failures.ts";
import type { EngineMessage, SpanNews } from "./engine-message.ts";

/** How the caller shares the spans of a long input; `tellShares` reports what other workers have done since. */
export type SpanHooks = {
  offer(parts: readonly SpanPart[], tellShares: (shares: { span: SpanId; share: number }[]) => void): void;
  take(span: SpanId): Promise<MadeSpan | undefined>;
};

export type EngineHooks = EngineReport & { signal?: AbortSignal; spans?: SpanHooks | undefined };

export type WorkHooks = EngineHooks & {
  onGapDone?: (result: GapResult) => void;
  onSpanProgress?: (fraction: number) => void;
  onSpanDone?: (result: SpanResult) => void;
};

export async function answerSpans(
  message: Extract<EngineMessage, { kind: "span-wanted" | "spans-offered" }>,
  { spans }: WorkHooks,
  tell: (news: SpanNews) => void,
): Promise<void> {
  if (message.kind === "spans-offered")
    return spans?.offer(message.parts, (shares) => tell({ kind: "spans-elsewhere", shares }));
  const { span } = message;
  tell({ kind: "span-taken", span, made: await spans?.take(span) });
}

/** Messages that are handled at once, even while a hook runs. */
type Immediate =
  | ("started" | "notice" | "retired" | "gpu-in-use" | "network-loaded")
  | ("span-wanted" | "spans-offered" | "stem-wanted" | "stem-finished");

export async function deliver(
  message: Exclude<EngineMessage, { kind: Immediate }>,
  hooks: WorkHooks,
  onDone: () => void,
): Promise<void> {
  switch (message.kind) {
    case "progress":
      return hooks.onProgress?.(message.progress);
    case "target-done":
      return hooks.onTargetDone?.(message.key, message.result);
    case "target-failed":
      return hooks.onTargetFailed?.(message.key, rebuildEngineError(message.failure));
    case "gap-done":
      return hooks.onGapDone?.(message.result);
    case "span-progress":
      return hooks.onSpanProgress?.(message.fraction);
    case "span-done":
      return hooks.onSpanDone?.(message.result);
    case "preview":
      return hooks.onPreview?.(message.news);
    case "done":
      return onDone();
    case "failed":
      throw new ReportedError("reported", { cause: toError(message.failure) });
  }
}

/** The same hooks; also records the keys of targets that are done or failed. */
export function noteEnded(hooks: WorkHooks, ended: Set<string>): WorkHooks {
  return {
    ...hooks,
    async onTargetDone(key, result) {
      ended.add(key);
      await hooks.onTargetDone?.(key, result);
    },
    async onTargetFailed(key, error) {
      ended.add(key);
      await hooks.onTargetFailed?.(key, error);
    },
  };
}

/** The files that a message of the child names. */
export function listPaths(message: EngineMessage): string[] {
  if (message.kind === "stem-wanted") return [message.wanted.path];
  if (message.kind === "stem-finished") return [message.finished.path];
  if (message.kind === "preview" && message.news.kind === "step")
    return message.news.files.map(({ path }) => path);
  if (message.kind === "span-done" && message.result.kind === "made")
    return message.result.files.map(({ path }) => path);
  return [];
}
