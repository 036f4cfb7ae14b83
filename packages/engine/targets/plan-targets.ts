import { EngineError } from "../engine-error.ts";
import {
  type AnalysisManifest,
  chooseManifest,
  findReadNetwork,
  isStemManifest,
  type Manifest,
  type MusicManifest,
  type SpeechManifest,
  type StemManifest,
  type StemService,
  type VoiceManifest,
} from "../manifests/manifest.ts";
import type {
  AnalysisTarget,
  DetectionTarget,
  EngineTarget,
  SoundTarget,
  TextTarget,
  VoicesTarget,
} from "./engine-request.ts";

/** A target, and the starts of the passes whose stems are averaged for it. */
export type PlannedSound = { target: SoundTarget; service: StemService; startShares: number[] };

/** A stem of an earlier pass that a network reads instead of the input. */
export type ReadStem = { pass: StemPass; stem: string };

/** One run of a network, starting at a share of a segment, and every target that is complete after it. */
export type StemPass = {
  manifest: StemManifest;
  reads: ReadStem | undefined;
  startShare: number;
  stems: string[];
  targets: PlannedSound[];
};

/** One transcription of the input, and every target made from it. */
export type SpeechPass = { manifest: SpeechManifest; targets: TextTarget[] };

/** One detection of music, and every target made from it. */
export type DetectionPass = { manifest: MusicManifest; targets: DetectionTarget[] };

/** One analysis of the music, and every target made from it. */
export type AnalysisPass = { manifest: AnalysisManifest; targets: AnalysisTarget[] };

/** One search for speakers, and every target made from it. */
export type VoicesPass = { manifest: VoiceManifest; targets: VoicesTarget[] };

export type TargetPlan = {
  stemPasses: StemPass[];
  detectionPass: DetectionPass | undefined;
  analysisPass: AnalysisPass | undefined;
  voicesPass: VoicesPass | undefined;
  speechPass: SpeechPass | undefined;
  refused: { target: EngineTarget; error: EngineError }[];
};

/** Groups targets by the network they need, so that five stems take one pass, and requests only stems in use. */
export function planTargets(targets: readonly EngineTarget[], manifests: readonly Manifest[]): TargetPlan {
  const plan: TargetPlan = {
    stemPasses: [],
    detectionPass: undefined,
    analysisPass: undefined,
    voicesPass: undefined,
    speechPass: undefined,
    refused: [],
  };
  for (const target of targets) {
    const manifest = findManifest(target, manifests);
    if (target.kind === "sound" && manifest && isStemManifest(manifest)) {
      addSound(plan.stemPasses, { manifest, target, manifests });
    } else if (target.kind === "voices" && manifest?.family === "voice-split") {
      plan.voicesPass ??= { manifest, targets: [] };
      plan.voicesPass.targets.push(target);
    } else if (target.kind === "text" && manifest?.family === "whisper") {
      plan.speechPass ??= { manifest, targets: [] };
      plan.speechPass.targets.push(target);
    } else if (target.kind === "detection" && manifest?.family === "music-detector") {
      plan.detectionPass ??= { manifest, targets: [] };
      plan.detectionPass.targets.push(target);
    } else if (target.kind === "analysis" && manifest?.family === "music-analyser") {
      plan.analysisPass ??= { manifest, targets: [] };
      plan.analysisPass.targets.push(target);
    } else plan.refused.push({ target, error: makeMissingError(target) });
  }
  return plan;
}

/** The stems of the network that a service is made from. */
export function getServiceStems(service: StemService): string[] {
  const stems = service.stem ?? service.without;
  if (stems === undefined) throw new Error(`the manifest's entry for ${service.model} names no stem`);
  return stems;
}

/** The pass that makes the stem, and before it the one whose stem it reads; both are added if missing. */
export function needStem(
  passes: StemPass[],
  wanted: { manifest: StemManifest; stem: string; startShare?: number; manifests: readonly Manifest[] },
): StemPass {
  const { manifest, stem, startShare = 0, manifests } = wanted;
  const known = passes.find((pass) => pass.manifest.id === manifest.id && pass.startShare === startShare);
  const pass = known ?? {
    manifest,
    reads: needRead(passes, manifest, manifests),
    startShare,
    stems: [],
    targets: [],
  };
  if (known === undefined) passes.push(pass);
  if (!pass.stems.includes(stem)) pass.stems.push(stem);
  return pass;
}

/** The first pass of the chain of passes that read each other's stems. */
export const findRootPass = (pass: StemPass): StemPass => (pass.reads ? findRootPass(pass.reads.pass) : pass);

function needRead(
  passes: StemPass[],
  manifest: StemManifest,
  manifests: readonly Manifest[],
): ReadStem | undefined {
  const network = findReadNetwork(manifest, manifests);
  if (network === undefined || manifest.reads === undefined) return undefined;
  const { stem } = manifest.reads;
  return { pass: needStem(passes, { manifest: network, stem, manifests }), stem };
}

/** Adds the target to the network's passes: its stems to each pass it needs, itself to the last. */
function addSound(
  passes: StemPass[],
  {
    manifest,
    target,
    manifests,
  }: { manifest: StemManifest; target: SoundTarget; manifests: readonly Manifest[] },
): void {
  const service = findService(target, manifest);
  if (service === undefined) throw new Error(`${manifest.id} does not serve ${target.model}`);
  const stems = getServiceStems(service);
  const startShares = (target.variant !== undefined && manifest.startShares[target.variant]) || [0];
  const needed = startShares.flatMap((startShare) =>
    stems.map((stem) => needStem(passes, { manifest, stem, startShare, manifests })),
  );
  // Other targets may have added the passes in another order.
  const last = needed.reduce((a, b) => (passes.indexOf(b) > passes.indexOf(a) ? b : a));
  last.targets.push({ target, service, startShares });
}

function findManifest(target: EngineTarget, manifests: readonly Manifest[]): Manifest | undefined {
  if (target.kind === "sound" && target.network !== undefined) {
    const named = manifests.filter(isStemManifest).find(({ id }) => id === target.network);
    return named && findService(target, named) ? named : undefined;
  }
  const serving = manifests.filter(({ serves }) => serves.some((service) => isServed(target, service)));
  return chooseManifest(target.model, serving);
}

/** A network that was named gives its own stems as well, under their names. */
function findService(target: SoundTarget, { serves, stems, id }: StemManifest): StemService | undefined {
  const { model, network, variant } = target;
  const isOwnStem = network === id && variant === undefined && stems.includes(model);
  return isOwnStem ? { model, stem: [model], variants: [] } : serves.find((entry) => isServed(target, entry));
}

function isServed(target: EngineTarget, service: { model: string; variants: string[] }): boolean {
  const hasVariant = target.variant === undefined || service.variants.includes(target.variant);
  return service.model === target.model && hasVariant;
}

function makeMissingError(target: EngineTarget): EngineError {
  const name = target.variant === undefined ? target.model : `${target.model} (${target.variant})`;
  if (target.kind === "sound" && target.network !== undefined)
    return new EngineError(
      "network-missing",
      `The network ${target.network} is not installed here, or has no ${name}.`,
    );
  return new EngineError("network-missing", `No installed network provides ${name}.`);
}
