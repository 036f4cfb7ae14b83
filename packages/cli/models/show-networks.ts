import {
  getAddedManifest,
  KNOWN_NETWORKS,
  listAddedManifests,
  listNetworkFolders,
  loadDefaults,
  removeNetwork,
  setDefaultNetwork,
} from "@stemwright/engine";
import { CliError } from "../cli-error.ts";
import { modelsDir } from "../environment.ts";
import { formatServices, toSizeText } from "./network-words.ts";

const write = (line: string) => process.stdout.write(`${line}\n`);

export async function listNetworks({ json }: { json: boolean }): Promise<void> {
  const manifests = listAddedManifests(modelsDir());
  const defaults = Object.entries(loadDefaults(modelsDir()));
  for (const manifest of manifests) {
    const { id, family, stems, licence, weights, source } = manifest;
    const defaultFor = defaults.flatMap(([model, network]) => (network === id ? [model] : []));
    if (json) {
      const models = manifest.serves.map(({ model }) => model);
      write(
        JSON.stringify({
          id,
          family,
          stems,
          models,
          defaultFor,
          licence,
          source,
          sizeBytes: weights.sizeBytes,
        }),
      );
      continue;
    }
    write(`${id}  ${family}, ${toSizeText(weights.sizeBytes)}`);
    write(`  stems    ${stems.join(", ")}`);
    write(`  serves   ${formatServices(manifest)}`);
    if (defaultFor.length > 0) write(`  default  ${defaultFor.join(", ")}`);
    write(`  licence  ${licence}`);
  }
  const broken = listNetworkFolders(modelsDir()).filter(
    (id) => !manifests.some((manifest) => manifest.id === id),
  );
  for (const id of broken)
    process.stderr.write(`${id}: its manifest can't be read; stemwright models remove ${id} removes it\n`);
  if (manifests.length === 0 && !json)
    process.stderr.write(`No networks were added to ${modelsDir()}; stemwright models add FILE adds one.\n`);
}

export async function showNetwork(id: string): Promise<void> {
  write(JSON.stringify(findManifest(id), null, 2));
}

export function findManifest(id: string) {
  return asUsage(() => getAddedManifest(modelsDir(), id));
}

export async function removeAddedNetwork(id: string): Promise<void> {
  asUsage(() => removeNetwork(modelsDir(), id));
  write(`removed   ${id}`);
}

export async function chooseDefault(model: string, id: string): Promise<void> {
  asUsage(() => setDefaultNetwork(modelsDir(), { model, id }));
  write(`${model} is made by ${id} from now on`);
}

/** A wrong id is a wrong argument. */
function asUsage<Result>(act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && error.name === "EngineError")
      throw new CliError("USAGE", `${error.message} stemwright models list lists what is.`, { cause: error });
    throw error;
  }
}

export async function listKnown({ json }: { json: boolean }): Promise<void> {
  for (const known of KNOWN_NETWORKS) {
    if (json) {
      write(JSON.stringify(known));
      continue;
    }
    const { name, file, architecture, stems, score, licence, publisher, download } = known;
    write(`${name}${download === undefined ? "  (not downloaded by name)" : ""}`);
    write(`  ${architecture}: ${stems}; ${score}`);
    write(`  file     ${file}`);
    write(`  licence  ${licence}`);
    write(`  from     ${publisher}`);
  }
  if (!json)
    process.stderr.write(
      "Scores in dB: M MVSEP Multisong SDR, V the trainer's validation, U MUSDB18-HQ test, S median over MUSDB18.\n",
    );
}
