import type { Model, ModelAccess, ModelGrant } from "@stemwright/contract";
import { roundCredits } from "../credits/credit-amounts.ts";
import { CATALOGUE, type CatalogueModel, type CatalogueVariant } from "./catalogue.ts";

/** A model whose network is installed. */
export type InstalledModel = {
  id: string;
  variants: readonly string[];
  weights: { name: string; licence: string };
  scores: readonly { measure: string; dataset: string; value: number }[];
  /** Of a model that is a sum of stems: its parts, and those of the input they come from. */
  sound?: { parts: readonly string[]; whole: readonly string[] };
};

export type ModelTerms = { access: ModelAccess; creditsPerMinute: number | undefined };

/** Whether the network and variant for a target are installed. */
export function isInstalled(options: {
  model: CatalogueModel;
  variant: CatalogueVariant | undefined;
  installed: readonly InstalledModel[];
}): boolean {
  const network = options.installed.find(({ id }) => id === options.model.id);
  return (
    network !== undefined && (options.variant === undefined || network.variants.includes(options.variant.id))
  );
}

/** Whether a client may run a model, and at what rate. A model whose network is not installed is unavailable, whatever the grants say. */
export function findTerms(options: {
  model: CatalogueModel;
  variant: CatalogueVariant | undefined;
  installed: readonly InstalledModel[];
  grants: readonly ModelGrant[];
}): ModelTerms {
  const { model, variant } = options;
  const grant = options.grants.find((candidate) => candidate.model === model.id);
  const agreed = grant?.access ?? (model.needsGrant ? "requestAccess" : "enabled");
  const listed = variant?.creditsPerMinute ?? model.creditsPerMinute;
  // A negotiated rate is for the model; a variant keeps its ratio to it.
  const negotiated =
    grant?.creditsPerMinute === undefined
      ? undefined
      : roundCredits(
          grant.creditsPerMinute *
            (listed !== undefined && model.creditsPerMinute ? listed / model.creditsPerMinute : 1),
        );
  return { access: isInstalled(options) ? agreed : "requestAccess", creditsPerMinute: negotiated ?? listed };
}

/** The models whose sound is a part of this one's. */
function listContained({ sound }: InstalledModel, installed: readonly InstalledModel[]): string[] {
  if (!sound) return [];
  return installed
    .filter((other) => {
      const parts = other.sound?.parts ?? [];
      const isSmaller = parts.length > 0 && parts.length < sound.parts.length;
      return isSmaller && parts.every((part) => sound.parts.includes(part));
    })
    .map(({ id }) => id);
}

/** The model list: the defaults without grants, a client's own view with them. */
export function toModels(installed: readonly InstalledModel[], grants: readonly ModelGrant[] = []): Model[] {
  return CATALOGUE.map((model) => {
    const terms = findTerms({ model, variant: undefined, installed, grants });
    const network = installed.find(({ id }) => id === model.id);
    return {
      id: model.id,
      name: model.name,
      category: model.category,
      description: model.description,
      access: terms.access,
      installed: network !== undefined,
      ...(terms.creditsPerMinute === undefined ? {} : { creditsPerMinute: terms.creditsPerMinute }),
      limits: { maxInputDurationSeconds: model.maxInputDurationSeconds },
      inputs: model.inputs,
      outputFormats: [...model.outputFormats],
      ...(model.supportedLanguages ? { supportedLanguages: [...model.supportedLanguages] } : {}),
      ...(model.variants
        ? {
            variants: model.variants.map((variant) => {
              const { access, creditsPerMinute } = findTerms({ model, variant, installed, grants });
              return {
                id: variant.id,
                description: variant.description,
                access,
                installed: isInstalled({ model, variant, installed }),
                ...(creditsPerMinute === undefined ? {} : { creditsPerMinute }),
              };
            }),
          }
        : {}),
      ...(network
        ? {
            weights: network.weights,
            scores: [...network.scores],
            contains: listContained(network, installed),
          }
        : {}),
    };
  });
}
