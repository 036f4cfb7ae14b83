import { join } from "node:path";
import type {
  AudioFormat,
  DetectionFormat,
  EngineTarget,
  HearingWishes,
  TextFormat,
} from "@stemwright/engine";
import { findCatalogueModel } from "../domain/models/catalogue.ts";
import { toLanguageCode } from "../domain/tasks/language-code.ts";
import { toOutputNames, WORDS_FILE } from "../domain/tasks/output-names.ts";
import type { TargetRecord } from "../domain/tasks/task-record.ts";
import { hasTranscript } from "./fetch-transcript.ts";

type OutputPlan = {
  name: string;
  output: "stem" | "residual";
  format: string;
  path: string;
  /** Kept for the service itself: the client did not ask for it. */
  isAside?: true;
};

export function planOutputs(target: TargetRecord, taskDir: string): OutputPlan[] {
  const toPath = (name: string, format: string) => join(taskDir, "out", `${target.id}-${name}.${format}`);
  const outputs: OutputPlan[] = toOutputNames(target).flatMap(({ output, name }) =>
    target.formats.map((format) => ({ output, name, format, path: toPath(name, format) })),
  );
  const isText = findCatalogueModel(target.model)?.produces === "text";
  if (!isText || target.formats.includes("json")) return outputs;
  // Without their times words could neither be edited nor written in another form.
  const { name, format } = WORDS_FILE;
  return [...outputs, { output: "stem", name, format, path: toPath(name, format), isAside: true }];
}

/** Where a target's transcript lies while its Task is worked on. */
export function transcriptPath({ id }: Pick<TargetRecord, "id">, taskDir: string): string {
  return join(taskDir, "transcripts", id);
}

function toHearingWishes({ language, translate, prompt, keywords }: TargetRecord): HearingWishes {
  return {
    ...(language === undefined ? {} : { language: toLanguageCode(language) }),
    ...(translate === undefined ? {} : { isTranslated: translate }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(keywords === undefined ? {} : { keywords }),
  };
}

/** What the engine is to do for a target. The catalogue has seen to it that the formats are those of its kind. */
export function toEngineTarget(target: TargetRecord, taskDir: string): EngineTarget {
  const { id: key, model, variant } = target;
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
    const { maxLineLength, maxLines } = target;
    return {
      ...common,
      kind: "text",
      ...toHearingWishes(target),
      cueLimits: {
        ...(maxLineLength === undefined ? {} : { rowWidth: maxLineLength }),
        ...(maxLines === undefined ? {} : { rows: maxLines }),
      },
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
