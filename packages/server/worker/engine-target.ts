import { join } from "node:path";
import type { AudioFormat, DetectionFormat, EngineTarget, TextFormat } from "@stemwright/engine";
import { findCatalogueModel } from "../domain/models/catalogue.ts";
import { toLanguageCode } from "../domain/tasks/language-code.ts";
import { toOutputNames } from "../domain/tasks/output-names.ts";
import type { TargetRecord } from "../domain/tasks/task-record.ts";
import { hasTranscript } from "./fetch-transcript.ts";

type OutputPlan = { name: string; output: "stem" | "residual"; format: string; path: string };

export function planOutputs(target: TargetRecord, taskDir: string): OutputPlan[] {
  return toOutputNames(target).flatMap(({ output, name }) =>
    target.formats.map((format) => ({
      output,
      name,
      format,
      path: join(taskDir, "out", `${target.id}-${name}.${format}`),
    })),
  );
}

/** Where a target's transcript lies while its Task is worked on. */
export function transcriptPath({ id }: Pick<TargetRecord, "id">, taskDir: string): string {
  return join(taskDir, "transcripts", id);
}

/** What the engine is to do for a target. The catalogue has seen to it that the formats are those of its kind. */
export function toEngineTarget(target: TargetRecord, taskDir: string): EngineTarget {
  const { id: key, model, variant, language } = target;
  const outputs = planOutputs(target, taskDir);
  const common = { key, model, ...(variant === undefined ? {} : { variant }) };
  const produces = findCatalogueModel(model)?.produces;
  if (produces === "detection") {
    return {
      ...common,
      kind: "detection",
      files: outputs.map(({ format, path }) => ({ format: format as DetectionFormat, path })),
    };
  }
  if (produces === "text") {
    return {
      ...common,
      kind: "text",
      ...(language === undefined ? {} : { language: toLanguageCode(language) }),
      ...(hasTranscript(target) ? { transcriptPath: transcriptPath(target, taskDir) } : {}),
      files: outputs.map(({ format, path }) => ({ format: format as TextFormat, path })),
    };
  }
  return {
    ...common,
    kind: "sound",
    files: outputs.map(({ output, format, path }) => ({
      output,
      format: format as AudioFormat,
      path,
      ...(target.bitDepth === undefined ? {} : { wavBitDepth: target.bitDepth }),
    })),
  };
}
