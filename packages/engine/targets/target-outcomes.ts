import { EngineError, type EngineErrorKind } from "../engine-error.ts";
import type { PreviewWriter } from "../previews/preview-writer.ts";
import type { EngineReport, EngineTarget, TargetResult } from "./engine-request.ts";
import { toSystemError } from "./to-engine-error.ts";

const NETWORK_FAILURES: readonly EngineErrorKind[] = ["network-missing", "network-failed", "out-of-memory"];

/** Reports for each target that it is done or why it failed, so that a failure stops only the targets it concerns. */
export class TargetOutcomes {
  readonly #report: Pick<EngineReport, "onTargetDone" | "onTargetFailed">;
  readonly #previews: Pick<PreviewWriter, "whenWritten"> | undefined;
  readonly #common: Pick<TargetResult, "durationSeconds" | "audioStartSeconds">;

  constructor(options: {
    report: Pick<EngineReport, "onTargetDone" | "onTargetFailed">;
    previews: Pick<PreviewWriter, "whenWritten"> | undefined;
    common: Pick<TargetResult, "durationSeconds" | "audioStartSeconds">;
  }) {
    this.#report = options.report;
    this.#previews = options.previews;
    this.#common = options.common;
  }

  /** Runs the last step of a target and reports the result or the EngineError. Other errors reject. */
  async finish(
    { key }: EngineTarget,
    work: () => Promise<Omit<TargetResult, "durationSeconds"> | undefined>,
  ): Promise<void> {
    try {
      const result = await work();
      await this.#previews?.whenWritten(key);
      await this.#report.onTargetDone?.(key, { ...this.#common, ...result });
    } catch (error) {
      const known = toSystemError(error);
      if (!(known instanceof EngineError)) throw error;
      // Previews read what the target was made of, which is closed afterwards.
      await this.#previews?.whenWritten(key);
      await this.#report.onTargetFailed?.(key, known);
    }
  }

  /** Runs work that needs a network. If the network is missing or fails, reports and returns that error. Other errors reject. */
  async tryNetwork(
    targets: readonly EngineTarget[],
    work: () => Promise<void>,
  ): Promise<EngineError | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      const known = toSystemError(error);
      if (!(known instanceof EngineError && NETWORK_FAILURES.includes(known.kind))) throw error;
      for (const { key } of targets) await this.#report.onTargetFailed?.(key, known);
      return known;
    }
  }
}
