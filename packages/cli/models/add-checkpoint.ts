import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import {
  type Bag,
  type ConvertedNetwork,
  checkNetwork,
  convertNetwork,
  dropDraft,
  findBag,
  installDraft,
  KNOWN_NETWORKS,
  type KnownNetwork,
  makeDraft,
  type NetworkCheck,
  type NetworkDraft,
  readConfigurationFile,
  rememberSpeed,
  type StemService,
  setDefaultNetwork,
} from "@stemwright/engine";
import { CliError } from "../cli-error.ts";
import { cacheDir, modelsDir } from "../environment.ts";
import { isUrl } from "../work/list-inputs.ts";
import { downloadCheckpoint } from "./download-checkpoint.ts";
import { engineSettings } from "./engine-settings.ts";
import { formatCheck, formatServices, formatShape, toSizeText } from "./network-words.ts";
import { makeStepReporter } from "./step-reporter.ts";

export type AddOptions = {
  config?: string;
  id?: string;
  name?: string;
  licence?: string;
  serve: string[];
  default: boolean;
  yes: boolean;
};

type Source = {
  paths: string[];
  bag?: Bag;
  fileName: string;
  /** As the manifest names it. */
  source: string;
  configuration?: Record<string, unknown>;
  licence?: string;
};

const write = (line: string) => process.stdout.write(`${line}\n`);

/** From a file, an address or a known name to a network that every Task can use. */
export async function addCheckpoint(given: string, options: AddOptions): Promise<void> {
  const serves = options.serve.map(parseService);
  const source = await findSource(given, options);
  const id = options.id ?? toNetworkId(source.fileName);
  const draft = makeDraft(modelsDir(), id);
  try {
    const steps = makeStepReporter("reading");
    const { name, licence = source.licence } = options;
    const converted = await convertNetwork({ ...source, id, name, licence, serves }, draft.folder, {
      onProgress: steps.progress,
    });
    steps.end();
    tellFound(converted);
    const check = await tryDraft(draft, converted);
    installDraft(draft, modelsDir(), id);
    if (options.default)
      for (const { model } of converted.manifest.serves) setDefaultNetwork(modelsDir(), { model, id });
    tellAdded(converted, check, options.default);
  } finally {
    dropDraft(draft);
  }
}

/** A second of sound, as Tasks have it: what can't run is not installed. */
async function tryDraft(draft: NetworkDraft, { manifest }: ConvertedNetwork): Promise<NetworkCheck> {
  const steps = makeStepReporter("trying it on a second of sound");
  const check = await checkNetwork(manifest, {
    ...(await engineSettings()),
    modelsDir: draft.modelsDir,
    seconds: 1,
    onProgress: steps.progress,
  });
  steps.end();
  // A second needs a whole chunk: what further audio takes is the chunk's share.
  const chunkSeconds = manifest.segmentFrames / manifest.sampleRateHz;
  rememberSpeed(draft.folder, Math.max(0.01, check.tookSeconds / Math.max(1, chunkSeconds)));
  return check;
}

function tellFound({ manifest, title, assumptions, parameterCount }: ConvertedNetwork): void {
  write(`found     ${title}, ${(parameterCount / 1e6).toFixed(1)} million parameters`);
  write(`audio     ${formatShape(manifest)}`);
  write(`stems     ${manifest.stems.join(", ")}`);
  write(`serves    ${formatServices(manifest)}`);
  write(`licence   ${manifest.licence}`);
  for (const assumption of assumptions) write(`assumed   ${assumption}`);
}

function tellAdded({ manifest }: ConvertedNetwork, check: NetworkCheck, isDefault: boolean): void {
  const { id, weights } = manifest;
  write(`checked   ${formatCheck(check)}`);
  write(`stored    ${toSizeText(weights.sizeBytes)} in ${join(modelsDir(), id)}`);
  write(`sha256    ${weights.sha256}`);
  write(`use it    stemwright separate song.mp3 --network ${id}`);
  if (!isDefault) write(`          stemwright models default MODEL ${id} prefers it for a model`);
}

async function findSource(given: string, { config, yes }: AddOptions): Promise<Source> {
  const known = KNOWN_NETWORKS.find(({ name }) => name === given);
  if (known !== undefined && !(await isThere(given))) return await downloadKnown(known, { yes, config });
  const configuration = config === undefined ? {} : { configuration: await loadConfiguration(config) };
  if (isUrl(given)) return { ...(await downloadSource(given)), ...configuration };
  const path = resolve(given);
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined)
    throw new CliError(
      "NO_INPUT",
      `${given} is neither a file nor a name that \`stemwright models known\` lists.`,
    );
  if (stats.isDirectory())
    throw new CliError(
      "USAGE",
      `${given} is a folder. Give the checkpoint itself, or the .yaml of a Demucs bag.`,
    );
  if (/\.ya?ml$/i.test(path)) return await openBag(path);
  return { paths: [path], fileName: basename(path), source: path, ...configuration };
}

const isThere = async (path: string) => (await stat(path).catch(() => undefined)) !== undefined;

async function loadConfiguration(given: string): Promise<Record<string, unknown>> {
  if (!isUrl(given)) return await readConfigurationFile(given);
  const { path } = await downloadCheckpoint(given, {
    folder: join(cacheDir(), "downloads"),
    pinsDir: modelsDir(),
  });
  return await readConfigurationFile(path);
}

async function downloadSource(url: string): Promise<Source> {
  const steps = makeStepReporter(`downloading ${url}`);
  const { path, sha256, fileName, address } = await downloadCheckpoint(url, {
    folder: join(cacheDir(), "downloads"),
    pinsDir: modelsDir(),
    onProgress: steps.progress,
  });
  steps.end();
  write(`sha256    ${sha256} of ${fileName}, pinned for ${address}`);
  return { paths: [path], fileName, source: `${address}#sha256=${sha256}` };
}

async function downloadKnown(
  { name, file, licence, publisher, download, isFromCommercialProgram }: KnownNetwork,
  { yes, config }: { yes: boolean; config: string | undefined },
): Promise<Source> {
  write(`name      ${name}: ${file}`);
  write(`publisher ${publisher}`);
  write(`licence   ${licence}`);
  if (download === undefined) {
    const reason = isFromCommercialProgram
      ? `its licence is ${licence}`
      : "its publisher has no single address for it";
    throw new CliError(
      "USAGE",
      `${name} is not downloaded by name: ${reason}. If you have it and may use it, give the file: stemwright models add FILE`,
    );
  }
  if (!yes) await confirm(`Download it from ${new URL(download.checkpoint).host}?`);
  const source = await downloadSource(download.checkpoint);
  const configuration = config ?? download.configuration;
  return {
    ...source,
    licence,
    ...(configuration === undefined ? {} : { configuration: await loadConfiguration(configuration) }),
  };
}

async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CliError("USAGE", "Nobody can be asked here: --yes confirms the download and its licence.");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} (y/n) `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError("USAGE", "Nothing was downloaded.");
}

/** The `.th` files that a bag names are beside it, as `SIGNATURE.th` or with the first digits of their sha256: `SIGNATURE-CHECK.th`. */
async function openBag(path: string): Promise<Source> {
  const bag = findBag(await readConfigurationFile(path));
  if (bag === undefined)
    throw new CliError(
      "USAGE",
      `${path} is a configuration, not a bag of Demucs: give the checkpoint, and the configuration as --config ${basename(path)}.`,
    );
  const folder = dirname(path);
  const names = await readdir(folder);
  const paths = bag.signatures.map((signature) => {
    const found = names.find(
      (name) => name === `${signature}.th` || /^-[0-9a-f]{8}\.th$/.test(name.replace(signature, "")),
    );
    if (found === undefined || !found.startsWith(signature))
      throw new CliError("NO_INPUT", `${signature}.th, which ${basename(path)} names, is not in ${folder}.`);
    return join(folder, found);
  });
  for (const one of paths) await checkSignature(one);
  return { paths, bag, fileName: basename(path), source: path };
}

async function checkSignature(path: string): Promise<void> {
  const [, check] = /-([0-9a-f]{8})\.th$/.exec(path) ?? [];
  if (check === undefined) return;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  const sha256 = hash.digest("hex");
  if (!sha256.startsWith(check))
    throw new CliError(
      "FAILED",
      `${path} is damaged: its sha256 begins with ${sha256.slice(0, 8)}, not ${check}. Download it again.`,
    );
}

function parseService(text: string): StemService {
  const [, model, minus, stem] = /^([a-z0-9_]+)=(-?)([a-z0-9_]+)$/.exec(text) ?? [];
  if (model === undefined || stem === undefined)
    throw new CliError(
      "USAGE",
      `--serve ${text}: write MODEL=STEM, or MODEL=-STEM for the input without the stem.`,
    );
  return { model, ...(minus ? { without: [stem] } : { stem: [stem] }), variants: [] };
}

/** The file's name in letters that ids have. */
export function toNetworkId(fileName: string): string {
  const name = basename(fileName, extname(fileName)).toLowerCase();
  const id = name.replace(/[^a-z0-9._-]+/g, "-").replace(/^[^a-z0-9]+/, "");
  return id.slice(0, 64) || "network";
}
