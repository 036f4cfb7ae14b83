import { CheckpointError } from "./checkpoint-error.ts";
import type { FileTensor } from "./file-tensor.ts";
import { findText, InertObject, PickledName, PickledTensor } from "./pickle/pickled.ts";
import type { TorchFile } from "./torch-file.ts";

export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

/** The constructor and its arguments that a Demucs package names. */
export type PackagedClass = { klass: string; args: Plain[]; kwargs: { [key: string]: Plain } };

export type CheckpointState = {
  tensors: FileTensor[];
  packaged?: PackagedClass;
  /** What else the file says beside the weights, as far as it is plain: `hyper_parameters`, `dims`, `epoch`. */
  attributes: { [key: string]: Plain };
};

/** In the order in which training code looks for the weights: Demucs, Lightning, training code of the community, others. */
const WRAPPERS = ["state", "state_dict", "model_state_dict", "model"];
/** Of data-parallel training, Lightning, compiled models, and the only model of a bag. */
const PREFIXES = ["module.", "model.", "_orig_mod.", "models.0."];
const MAX_WRAPPERS = 3;
const MAX_TENSORS = 200_000;
const MAX_PLAIN_VALUES = 20_000;
const MAX_PLAIN_DEPTH = 12;

export function findState(file: TorchFile): CheckpointState {
  const { root } = file;
  if (!(root instanceof Map)) throw new CheckpointError("unsupported", explainOther(root));
  const weights = getWeights(root);
  const tensors = new Map<string, PickledTensor>();
  for (const [name, value] of weights)
    if (typeof name === "string" && value instanceof PickledTensor) tensors.set(name, value);
  if (tensors.size > MAX_TENSORS)
    throw new CheckpointError("too-large", `The file has ${tensors.size} tensors, more than any network.`);
  refuseAdapters([...tensors.keys()]);
  const strip = findPrefix([...tensors.keys()]);
  const packaged = findPackagedClass(root);
  return {
    tensors: [...tensors].map(([name, tensor]) => file.toStored(name.slice(strip.length), tensor)),
    ...(packaged === undefined ? {} : { packaged }),
    attributes: listAttributes(root, weights),
  };
}

const hasTensors = (map: Map<unknown, unknown>) =>
  [...map.values()].some((value) => value instanceof PickledTensor);

function getWeights(root: Map<unknown, unknown>): Map<unknown, unknown> {
  const state = root.get("state");
  if (state instanceof Map && state.get("__quantized"))
    throw new CheckpointError(
      "unsupported",
      "The weights are quantized with DiffQ (as mdx_q and mdx_extra_q of Demucs), which is not supported. Take the version that is not quantized.",
    );
  const weights = findWeights(root);
  if (weights !== undefined) return weights;
  const names = [...root.keys()]
    .slice(0, 12)
    .map((key) => findText(key) ?? "…")
    .join(", ");
  throw new CheckpointError(
    "unsupported",
    `The file has no weights where they are looked for. At its top are: ${names || "nothing"}.`,
  );
}

/** A wrapper may be in another one. */
function findWeights(map: Map<unknown, unknown>, depth = 0): Map<unknown, unknown> | undefined {
  if (depth > MAX_WRAPPERS) return undefined;
  for (const key of WRAPPERS) {
    const inner = map.get(key);
    const found = inner instanceof Map ? findWeights(inner, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return hasTensors(map) ? map : undefined;
}

function explainOther(root: unknown): string {
  if (root instanceof PickledTensor) return "The file has a single tensor, not the weights of a network.";
  const what =
    root instanceof InertObject || root instanceof PickledName
      ? `an object (${root.path})`
      : "something else";
  return `The file has ${what} at its top, not the weights of a network by name. Save them with torch.save(model.state_dict(), path).`;
}

export function refuseAdapters(names: readonly string[]): void {
  if (names.some((name) => /\.lora_[AB](\.|$)/i.test(name)))
    throw new CheckpointError(
      "unsupported",
      "The file is a LoRA adapter: it only has what changes in another network. Merge it into that network's checkpoint, then add the result.",
    );
}

/** Prefixes that all names have. */
export function findPrefix(names: readonly string[]): string {
  const all = (prefix: string) => names.length > 0 && names.every((name) => name.startsWith(prefix));
  let found = "";
  for (;;) {
    const next = PREFIXES.find((prefix) => all(found + prefix));
    if (next === undefined) return found;
    found += next;
  }
}

function findPackagedClass(root: Map<unknown, unknown>): PackagedClass | undefined {
  const klass = root.get("klass");
  if (!(klass instanceof PickledName)) return undefined;
  const [args, kwargs] = [root.get("args"), root.get("kwargs")].map((value) => toPlain(value));
  return {
    klass: klass.path,
    args: Array.isArray(args) ? args : [],
    kwargs: typeof kwargs === "object" && kwargs !== null && !Array.isArray(kwargs) ? kwargs : {},
  };
}

function listAttributes(
  root: Map<unknown, unknown>,
  weights: Map<unknown, unknown>,
): { [key: string]: Plain } {
  if (root === weights) return {};
  const known = new Set<unknown>([...WRAPPERS, "klass", "args", "kwargs", "training_args"]);
  const entries = [...root]
    .filter(([key]) => !known.has(key))
    .flatMap(([key, value]) => {
      const [name, plain] = [findText(key), toPlain(value)];
      const isWanted = name !== undefined && plain !== undefined && !name.includes("optim");
      return isWanted ? [[name, plain] as const] : [];
    });
  return Object.fromEntries(entries);
}

/** Without tensors and objects; undefined if that leaves nothing, or if there is no end to it. */
function toPlain(value: unknown): Plain | undefined {
  let left = MAX_PLAIN_VALUES;
  const convert = (one: unknown, depth: number): Plain | undefined => {
    left -= 1;
    if (left < 0 || depth > MAX_PLAIN_DEPTH) return undefined;
    if (one === null || typeof one === "string" || typeof one === "boolean") return one;
    if (typeof one === "number") return Number.isFinite(one) ? one : undefined;
    if (one instanceof PickledName) return one.path;
    if (Array.isArray(one)) return one.map((item) => convert(item, depth + 1) ?? null);
    if (!(one instanceof Map)) return undefined;
    const entries = [...one].flatMap(([key, item]) => {
      const [name, plain] = [findText(key), convert(item, depth + 1)];
      return name === undefined || plain === undefined ? [] : [[name, plain] as const];
    });
    return Object.fromEntries(entries);
  };
  const plain = convert(value, 0);
  return left < 0 ? undefined : plain;
}
