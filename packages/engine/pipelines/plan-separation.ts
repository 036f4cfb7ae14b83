import { EngineError } from "../engine-error.ts";
import type { StemManifest, StemService } from "../runtime/model-manifest.ts";
import type { SeparateTarget } from "./separate-request.ts";

export type PlannedTarget = { target: SeparateTarget; service: StemService };

/** One run of a network over the input, and every target that is made from it. */
export type PlannedPass = { manifest: StemManifest; stems: string[]; targets: PlannedTarget[] };

export type SeparationPlan = {
  passes: PlannedPass[];
  refused: { target: SeparateTarget; error: EngineError }[];
};

/** Groups targets by the network they need, so that five stems cost one pass, and asks only for stems in use. */
export function planSeparation(
  targets: readonly SeparateTarget[],
  manifests: readonly StemManifest[],
): SeparationPlan {
  const passes = new Map<string, PlannedPass>();
  const refused: SeparationPlan["refused"] = [];
  for (const target of targets) {
    const found = findService(target, manifests);
    if (found === undefined) {
      refused.push({ target, error: makeMissingError(target) });
      continue;
    }
    const { manifest, service } = found;
    const pass = passes.get(manifest.id) ?? { manifest, stems: [], targets: [] };
    passes.set(manifest.id, pass);
    pass.targets.push({ target, service });
    const stem = getServiceStem(service);
    if (!pass.stems.includes(stem)) pass.stems.push(stem);
  }
  return { passes: [...passes.values()], refused };
}

/** The one stem of the network that a service is made from. */
export function getServiceStem(service: StemService): string {
  const stem = service.stem ?? service.inputWithout;
  if (stem === undefined) throw new Error(`the manifest's entry for ${service.model} names no stem`);
  return stem;
}

function findService(
  target: SeparateTarget,
  manifests: readonly StemManifest[],
): { manifest: StemManifest; service: StemService } | undefined {
  for (const manifest of manifests) {
    const service = manifest.serves.find((entry) => entry.model === target.model);
    const hasVariant = target.variant === undefined || service?.variants.includes(target.variant);
    if (service !== undefined && hasVariant) return { manifest, service };
  }
  return undefined;
}

function makeMissingError(target: SeparateTarget): EngineError {
  const name = target.variant === undefined ? target.model : `${target.model} (${target.variant})`;
  return new EngineError("model-missing", `No network here makes ${name}.`);
}
