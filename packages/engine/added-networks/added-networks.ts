import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { EngineError } from "../engine-error.ts";
import { findJson, replaceJson } from "../files/json-file.ts";
import {
  type AddedManifest,
  DEFAULTS_FILE,
  isNetworkId,
  listAddedManifests,
  loadDefaults,
  loadManifests,
  MANIFEST_FILE,
} from "../manifests/manifest.ts";

/** A network that is being added: a separate store, from which it is tried before others see it. */
export type NetworkDraft = { modelsDir: string; folder: string };

export function makeDraft(modelsDir: string, id: string): NetworkDraft {
  checkId(modelsDir, id);
  mkdirSync(modelsDir, { recursive: true });
  const draftDir = mkdtempSync(join(modelsDir, ".adding-"));
  const folder = join(draftDir, id);
  mkdirSync(folder);
  return { modelsDir: draftDir, folder };
}

export function dropDraft({ modelsDir }: NetworkDraft): void {
  rmSync(modelsDir, { recursive: true, force: true });
}

/** Atomic: other processes see the network whole or not at all, and of two that add it one succeeds. */
export function installDraft(draft: NetworkDraft, modelsDir: string, id: string): void {
  checkId(modelsDir, id);
  try {
    renameSync(draft.folder, join(modelsDir, id));
  } catch (cause) {
    if (existsSync(join(modelsDir, id))) throw makeTakenError(id, { cause });
    throw cause;
  }
  dropDraft(draft);
}

function checkId(modelsDir: string, id: string): void {
  if (!isNetworkId(id))
    throw new EngineError(
      "network-failed",
      `${JSON.stringify(id)} is no id for a network: use up to 64 of a–z, 0–9, "-", "_" and ".", with a letter or digit first.`,
    );
  const isTaken = loadManifests().some((manifest) => manifest.id === id) || existsSync(join(modelsDir, id));
  if (isTaken) throw makeTakenError(id);
}

const makeTakenError = (id: string, options?: { cause: unknown }) =>
  new EngineError(
    "network-failed",
    `There is a network ${id}. Give another id, or remove that one first.`,
    options,
  );

export function getAddedManifest(modelsDir: string, id: string): AddedManifest {
  const found = listAddedManifests(modelsDir).find((manifest) => manifest.id === id);
  if (found === undefined)
    throw new EngineError("network-missing", `There is no network ${JSON.stringify(id)} in ${modelsDir}.`);
  return found;
}

/** First out of sight of other processes, then from the disk. */
export function removeNetwork(modelsDir: string, id: string): void {
  if (!isNetworkId(id) || !existsSync(join(modelsDir, id)))
    throw new EngineError("network-missing", `There is no network ${JSON.stringify(id)} in ${modelsDir}.`);
  const grave = mkdtempSync(join(modelsDir, ".removing-"));
  renameSync(join(modelsDir, id), join(grave, id));
  const kept = Object.entries(loadDefaults(modelsDir)).filter(([, network]) => network !== id);
  replaceJson(join(modelsDir, DEFAULTS_FILE), Object.fromEntries(kept));
  rmSync(grave, { recursive: true, force: true });
}

/** The network that serves the model from now on, if several do. */
export function setDefaultNetwork(modelsDir: string, { model, id }: { model: string; id: string }): void {
  const manifest = loadManifests({ modelsDir }).find((one) => one.id === id);
  if (manifest === undefined)
    throw new EngineError("network-missing", `There is no network ${JSON.stringify(id)} here.`);
  if (!manifest.serves.some((service) => service.model === model))
    throw new EngineError(
      "network-missing",
      `${id} does not serve ${model}, but ${manifest.serves.map((service) => service.model).join(", ")}.`,
    );
  mkdirSync(modelsDir, { recursive: true });
  replaceJson(join(modelsDir, DEFAULTS_FILE), { ...loadDefaults(modelsDir), [model]: id });
}

/** What was measured when it was last checked, beside the manifest. */
export function rememberSpeed(folder: string, passSeconds: number): void {
  const path = join(folder, MANIFEST_FILE);
  const manifest = findJson(path);
  if (typeof manifest === "object" && manifest !== null) replaceJson(path, { ...manifest, passSeconds });
}
