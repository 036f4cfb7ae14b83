import { type ModelGrant, type TargetRequest, TEXT_OPTIONS } from "@stemwright/contract";
import { makeId } from "../ids.ts";
import { type CatalogueModel, describeUnknownModel, findCatalogueModel } from "../models/catalogue.ts";
import { findTerms, type InstalledModel, isInstalled } from "../models/model-view.ts";
import { refuseField } from "../refuse-field.ts";
import { toLanguageCode } from "./language-code.ts";
import type { NewTarget } from "./task-record.ts";

type Terms = { installed: readonly InstalledModel[]; grants: readonly ModelGrant[] };
export type CheckedTarget = { target: NewTarget; model: CatalogueModel };

function getModel(request: TargetRequest, path: string): CatalogueModel {
  const model = findCatalogueModel(request.model);
  if (model) return model;
  const message = describeUnknownModel(request.model);
  return refuseField("MODEL_UNKNOWN", { path: `${path}.model`, message });
}

function checkFormats(request: TargetRequest, model: CatalogueModel, path: string): void {
  const seen = new Set<string>();
  for (const [index, format] of request.formats.entries()) {
    const at = `${path}.formats[${index}]`;
    if (!model.outputFormats.includes(format)) {
      const offered = model.outputFormats.join(", ");
      refuseField("FORMAT_UNSUPPORTED", {
        path: at,
        message: `${model.id} does not make "${format}". Must be one of ${offered}`,
      });
    }
    if (seen.has(format))
      refuseField("FORMATS_DUPLICATE", {
        path: at,
        message: `"${format}" is asked for twice; name each format once`,
      });
    seen.add(format);
  }
}

/** Text options of a single model. */
const ONLY_FOR: Partial<Record<(typeof TEXT_OPTIONS)[number], string>> = { translate: "transcription" };

function checkTextOptions(request: TargetRequest, model: CatalogueModel, path: string): void {
  for (const field of TEXT_OPTIONS) {
    const { [field]: only = model.id } = ONLY_FOR;
    if (request[field] === undefined || (model.produces === "text" && model.id === only)) continue;
    const message = `${model.id} takes no ${field}; leave it out`;
    refuseField("FIELD_NOT_ALLOWED", { path: `${path}.${field}`, message });
  }
}

function checkOptions(request: TargetRequest, model: CatalogueModel, path: string): void {
  checkTextOptions(request, model, path);
  if (
    request.language !== undefined &&
    !model.supportedLanguages?.includes(toLanguageCode(request.language))
  ) {
    const message = model.supportedLanguages
      ? `${model.id} does not know the language "${request.language}". Must be one of ${model.supportedLanguages.join(", ")}`
      : `${model.id} takes no language; leave it out`;
    refuseField("LANGUAGE_UNSUPPORTED", { path: `${path}.language`, message });
  }
  checkSpeakers(request, model, path);
  const hasTranscript = request.transcriptUrl !== undefined || request.transcriptAssetId !== undefined;
  if (hasTranscript && model.id !== "alignment") {
    refuseField("TRANSCRIPT_NOT_ALLOWED", {
      path,
      message: `${model.id} takes no transcript; only alignment does`,
    });
  }
  if (request.transcriptUrl !== undefined && request.transcriptAssetId !== undefined) {
    refuseField("TRANSCRIPT_NOT_ALLOWED", {
      path,
      message: "Give transcriptUrl or transcriptAssetId, not both",
    });
  }
}

function checkSpeakers({ speakers, speakerNames }: TargetRequest, model: CatalogueModel, path: string): void {
  const asked =
    speakers === undefined ? (speakerNames === undefined ? undefined : "speakerNames") : "speakers";
  if (asked !== undefined && model.produces !== "text") {
    const message = `${model.id} writes no words; leave ${asked} out`;
    refuseField("SPEAKERS_NOT_ALLOWED", { path: `${path}.${asked}`, message });
  }
  if (speakerNames && !speakers) {
    const message = "Names need speakers: set speakers to true or to their number";
    refuseField("SPEAKERS_NOT_ALLOWED", { path: `${path}.speakerNames`, message });
  }
}

function checkTarget(request: TargetRequest, path: string, terms: Terms): CheckedTarget {
  const model = getModel(request, path);
  const variant = model.variants?.find(({ id }) => id === request.variant);
  if (request.variant !== undefined && variant === undefined) {
    const offered = model.variants?.map(({ id }) => id).join(", ");
    const hint = offered ? `Must be one of ${offered}` : "Leave it out";
    refuseField("VARIANT_UNKNOWN", {
      path: `${path}.variant`,
      message: `${model.id} has no variant "${request.variant}". ${hint}`,
    });
  }
  checkFormats(request, model, path);
  checkOptions(request, model, path);
  const { access, creditsPerMinute } = findTerms({ model, variant, ...terms });
  if (access !== "enabled") {
    const what = variant ? `${model.id} with the variant ${variant.id}` : model.id;
    if (!isInstalled({ model, variant, installed: terms.installed }))
      refuseField("MODEL_NOT_INSTALLED", {
        path: `${path}.model`,
        message: `This installation has no network for ${what}; choose a model that is installed (see GET /models)`,
      });
    refuseField("MODEL_NOT_GRANTED", {
      path: `${path}.model`,
      message: `${what} is not open to this account; ask the operator for access (see GET /models)`,
    });
  }
  return { model, target: { ...request, id: makeId(), creditsPerMinute: creditsPerMinute ?? 0 } };
}

/** Checks each target against the catalogue and the client's terms. */
export function checkTargets(requests: readonly TargetRequest[], terms: Terms): CheckedTarget[] {
  const seen = new Map<string, number>();
  return requests.map((request, index) => {
    const path = `targets[${index}]`;
    const checked = checkTarget(request, path, terms);
    const { language } = request;
    const same = {
      residual: false,
      ...request,
      formats: request.formats.toSorted(),
      ...(language === undefined ? {} : { language: toLanguageCode(language) }),
    };
    const fingerprint = JSON.stringify(Object.entries(same).sort());
    const twin = seen.get(fingerprint);
    if (twin !== undefined) {
      refuseField("TARGETS_DUPLICATE", {
        path,
        message: `targets[${index}] is equal to targets[${twin}]; each may be asked for once`,
      });
    }
    seen.set(fingerprint, index);
    return checked;
  });
}
