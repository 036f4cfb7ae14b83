import { join } from "node:path";
import type {
  AnalysisFormat,
  AudioFormat,
  DetectionFormat,
  EngineTarget,
  TextFormat,
} from "@stemwright/engine";
import { findCatalogueModel } from "../../domain/models/catalogue.ts";
import { isOnFileTimeline } from "../../domain/tasks/audio-offset.ts";
import { toLanguageCode } from "../../domain/tasks/language-code.ts";
import {
  toOutputNames,
  toSoundFormats,
  toVoiceNames,
  toVoicePrefix,
  WORDS_FILE,
} from "../../domain/tasks/output-names.ts";
import { pickOptions } from "../../domain/tasks/pick-options.ts";
import type { TargetRecord } from "../../domain/tasks/task-record.ts";
import { hasTranscript } from "../inputs/fetch-transcript.ts";

type OutputPlan = {
  name: string;
  format: string;
  path: string;
  /** Kept for the service itself: the client did not ask for it. */
  isAside?: true;
};
type AskedFile = OutputPlan & { output: "stem" | "residual" };

/** The files of a target; for voices, as many as were found. */
export function planOutputs(target: TargetRecord, taskDir: string, voiceCount = 0): OutputPlan[] {
  if (findCatalogueModel(target.model)?.produces !== "voices")
    return planFiles(target, taskDir).map(({ output: _, ...file }) => file);
  const [{ name: prefix = "" } = {}, ...residual] = toOutputNames(target);
  const sounds = [...toVoiceNames(target, voiceCount), ...residual.map(({ name }) => name)];
  const toFile = (name: string, format: string) => ({
    name,
    format,
    path: toPath(target, taskDir, `${name}.${format}`),
  });
  return [
    ...sounds.flatMap((name) => toSoundFormats(target).map((format) => toFile(name, format))),
    ...(target.formats.includes("json") ? [toFile(prefix, "json")] : []),
  ];
}

function planFiles(target: TargetRecord, taskDir: string): AskedFile[] {
  const files: AskedFile[] = toOutputNames(target).flatMap(({ output, name }) =>
    target.formats.map((format) => ({
      output,
      name,
      format,
      path: toPath(target, taskDir, `${name}.${format}`),
    })),
  );
  const isText = findCatalogueModel(target.model)?.produces === "text";
  if (!isText || target.formats.includes("json")) return files;
  // Without their times words could neither be edited nor exported.
  const { name, format } = WORDS_FILE;
  const path = toPath(target, taskDir, `${name}.${format}`);
  return [...files, { output: "stem", name, format, path, isAside: true }];
}

function toPath({ id }: TargetRecord, taskDir: string, fileName: string): string {
  return join(taskDir, "out", `${id}-${fileName}`);
}

/** Where a target's transcript is stored while its Task runs. */
export function transcriptPath({ id }: Pick<TargetRecord, "id">, taskDir: string): string {
  return join(taskDir, "transcripts", id);
}

/** The engine's text options have the names of the interface's, so that one more needs no line here. */
function toTextOptions(target: TargetRecord) {
  const { language, speakers, transcriptUrl: _, transcriptAssetId: __, ...options } = pickOptions(target);
  return {
    ...options,
    ...(speakers ? { speakers } : {}),
    ...(language === undefined ? {} : { language: toLanguageCode(language) }),
  };
}

/** The engine's request for a target. Formats were checked against the catalogue when the Task was created. */
export function toEngineTarget(target: TargetRecord, taskDir: string): EngineTarget {
  const { id: key, model, variant } = target;
  const outputs = planFiles(target, taskDir);
  const common = {
    ...{ key, model, isOnFileTimeline: isOnFileTimeline(target) },
    ...(variant === undefined ? {} : { variant }),
  };
  const produces = findCatalogueModel(model)?.produces;
  if (produces === "detection") {
    return {
      ...common,
      kind: "detection",
      files: outputs.map(({ format, path }) => ({ format: format as DetectionFormat, path })),
    };
  }
  if (produces === "analysis") {
    return {
      ...common,
      kind: "analysis",
      files: outputs.map(({ format, path }) => ({ format: format as AnalysisFormat, path })),
    };
  }
  if (produces === "text") {
    return {
      ...toTextOptions(target),
      ...common,
      kind: "text",
      ...(hasTranscript(target) ? { transcriptPath: transcriptPath(target, taskDir) } : {}),
      files: outputs.map(({ format, path }) => ({ format: format as TextFormat, path })),
    };
  }
  const bitDepth = target.bitDepth === undefined ? {} : { wavBitDepth: target.bitDepth };
  if (produces === "voices") {
    return {
      ...common,
      kind: "voices",
      pathPrefix: toPath(target, taskDir, toVoicePrefix(target)),
      formats: toSoundFormats(target) as AudioFormat[],
      hasResidual: target.residual === true,
      ...bitDepth,
    };
  }
  return {
    ...common,
    kind: "sound",
    files: outputs.map(({ output, format, path }) => ({
      output,
      format: format as AudioFormat,
      path,
      ...bitDepth,
    })),
  };
}
