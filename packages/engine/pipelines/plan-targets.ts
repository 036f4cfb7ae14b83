import { EngineError } from "../engine-error.ts";
import {
  isStemManifest,
  type ModelManifest,
  type MusicManifest,
  type SpeechManifest,
  type StemManifest,
  type StemService,
} from "../runtime/model-manifest.ts";
import type { DetectionTarget, EngineTarget, SoundTarget, TextTarget } from "./engine-request.ts";

/** A target, and where the passes start whose stems are averaged for it. */
export type PlannedSound = { target: SoundTarget; service: StemService; startShares: number[] };

/** One run of a network over the input from a share of a segment on, and every target that is complete after it. */
export type StemPass = {
  manifest: StemManifest;
  startShare: number;
  stems: string[];
  targets: PlannedSound[];
};

/** One reading of the input's words, and every target that is made from it. */
export type SpeechPass = { manifest: SpeechManifest; targets: TextTarget[] };

/** One listening for music, and every target that is made from it. */
export type DetectionPass = { manifest: MusicManifest; targets: DetectionTarget[] };

export type TargetPlan = {
  stemPasses: StemPass[];
  detectionPass: DetectionPass | undefined;
  speechPass: SpeechPass | undefined;
  refused: { target: EngineTarget; error: EngineError }[];
};

/** Groups targets by the network they need, so that five stems cost one pass, and asks only for stems in use. */
export function planTargets(
  targets: readonly EngineTarget[],
  manifests: readonly ModelManifest[],
): TargetPlan {
  const passes = new Map<string, StemPass[]>();
  const plan: TargetPlan = {
    stemPasses: [],
    detectionPass: undefined,
    speechPass: undefined,
    refused: [],
  };
  for (const target of targets) {
    const manifest = manifests.find(({ serves }) => serves.some((service) => isServed(target, service)));
    if (target.kind === "sound" && manifest && isStemManifest(manifest)) {
      const ofManifest = passes.get(manifest.id) ?? [];
      passes.set(manifest.id, ofManifest);
      addSound(ofManifest, manifest, target);
    } else if (target.kind === "text" && manifest?.family === "whisper") {
      plan.speechPass ??= { manifest, targets: [] };
      plan.speechPass.targets.push(target);
    } else if (target.kind === "detection" && manifest?.family === "music-detector") {
      plan.detectionPass ??= { manifest, targets: [] };
      plan.detectionPass.targets.push(target);
    } else plan.refused.push({ target, error: makeMissingError(target) });
  }
  plan.stemPasses = [...passes.values()].flat();
  return plan;
}

/** The one stem of the network that a service is made from. */
export function getServiceStem(service: StemService): string {
  const stem = service.stem ?? service.inputWithout;
  if (stem === undefined) throw new Error(`the manifest's entry for ${service.model} names no stem`);
  return stem;
}

/** Adds the target to the network's passes: its stem to each that it needs, itself to the last of them. */
function addSound(passes: StemPass[], manifest: StemManifest, target: SoundTarget): void {
  const service = manifest.serves.find((entry) => isServed(target, entry));
  if (service === undefined) throw new Error(`${manifest.id} does not serve ${target.model}`);
  const stem = getServiceStem(service);
  const startShares = (target.variant !== undefined && manifest.startShares[target.variant]) || [0];
  const needed = startShares.map((startShare) => {
    const known = passes.find((pass) => pass.startShare === startShare);
    const pass = known ?? { manifest, startShare, stems: [], targets: [] };
    if (known === undefined) passes.push(pass);
    if (!pass.stems.includes(stem)) pass.stems.push(stem);
    return pass;
  });
  // Other targets may have brought the passes in another order.
  const last = needed.reduce((a, b) => (passes.indexOf(b) > passes.indexOf(a) ? b : a));
  last.targets.push({ target, service, startShares });
}

function isServed(target: EngineTarget, service: { model: string; variants: string[] }): boolean {
  const hasVariant = target.variant === undefined || service.variants.includes(target.variant);
  return service.model === target.model && hasVariant;
}

function makeMissingError(target: EngineTarget): EngineError {
  const name = target.variant === undefined ? target.model : `${target.model} (${target.variant})`;
  return new EngineError("model-missing", `No network here makes ${name}.`);
}
