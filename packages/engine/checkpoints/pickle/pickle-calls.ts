import { CheckpointError, makeDamagedError } from "../checkpoint-error.ts";
import type { TensorType } from "../tensor-type.ts";
import { findText, InertObject, PickledName, type PickledStorage, PickledTensor } from "./pickled.ts";

type Call = (args: readonly unknown[]) => unknown;

/** Whatever calls a name of these modules gives an object without meaning: settings, optimizers, metrics. Only their own names are known, so nothing is run. */
const INERT_MODULES = [
  ...["argparse", "collections", "datetime", "enum", "fractions", "pathlib", "typing", "uuid"],
  ...[
    "numpy.core.multiarray",
    "numpy._core.multiarray",
    "numpy.dtypes",
    "ml_collections",
    "omegaconf",
    "hydra",
    "addict",
    "easydict",
    "box",
    "yacs",
  ],
  ...["pytorch_lightning", "lightning", "lightning_fabric", "lightning_utilities", "torchmetrics"],
  ...["demucs", "diffq", "julius", "torchaudio"],
];
/** Of modules that hold much else. */
const INERT_NAMES = new Set([
  ...[
    "set",
    "frozenset",
    "slice",
    "complex",
    "range",
    "bytearray",
    "object",
    "list",
    "tuple",
    "dict",
  ].flatMap((name) => [`builtins.${name}`, `__builtin__.${name}`]),
  ...["copyreg._reconstructor", "types.SimpleNamespace", "numpy.dtype", "numpy.ndarray", "numpy.float64"],
  ...[
    "functools.partial",
    "torch.device",
    "torch.dtype",
    "torch.Generator",
    "torch.serialization._get_layout",
  ],
]);
const INERT_TORCH = [
  "torch.optim.",
  "torch.nn.modules.loss.",
  "torch.cuda.amp.",
  "torch.amp.",
  "torch.random.",
];

const STORAGE_TYPES: Record<string, TensorType> = {
  FloatStorage: "F32",
  HalfStorage: "F16",
  BFloat16Storage: "BF16",
  DoubleStorage: "F64",
  LongStorage: "I64",
  IntStorage: "I32",
  ShortStorage: "I16",
  CharStorage: "I8",
  ByteStorage: "U8",
  BoolStorage: "BOOL",
};

function toSizes(value: unknown): number[] {
  if (Array.isArray(value) && value.every((size) => typeof size === "number")) return value;
  throw makeDamagedError("a tensor has no shape");
}

const isStorage = (value: unknown): value is PickledStorage =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "storage";

const rebuildTensor: Call = ([storage, offset, shape, strides]) => {
  if (!isStorage(storage) || typeof offset !== "number") throw makeDamagedError("a tensor has no storage");
  return new PickledTensor({ storage, offset, shape: toSizes(shape), strides: toSizes(strides) });
};

const first: Call = ([value]) => value;

/** A fraction is a duration or a ratio: a number tells as much. */
const toFraction: Call = ([numerator, denominator = 1]) => {
  const [above = Number.NaN, below = Number(findText(denominator))] = (findText(numerator) ?? "")
    .split("/")
    .map(Number);
  return above / below;
};

const toMap: Call = ([entries]) => {
  const map = new Map<unknown, unknown>();
  if (Array.isArray(entries))
    for (const entry of entries) if (Array.isArray(entry)) map.set(entry[0], entry[1]);
  return map;
};

/** Calls a function that rebuilds a tensor, named by its first argument. */
const rebuildByName: Call = ([name, , args]) => {
  if (name instanceof PickledName && Array.isArray(args)) return callByName(name, args);
  throw makeDamagedError("a tensor names no function that rebuilds it");
};

const CALLS: Record<string, Call> = {
  "torch._utils._rebuild_tensor": rebuildTensor,
  "torch._utils._rebuild_tensor_v2": rebuildTensor,
  "torch._utils._rebuild_parameter": first,
  "torch._utils._rebuild_parameter_with_state": first,
  "torch._tensor._rebuild_from_type_v2": rebuildByName,
  "torch.Size": ([sizes]) => toSizes(sizes),
  "collections.OrderedDict": toMap,
  "collections.defaultdict": () => new Map(),
  "fractions.Fraction": toFraction,
  "_codecs.encode": ([text]) => Buffer.from(findText(text) ?? "", "latin1"),
};

/** What a file's call of a function stands for. Nothing is executed; a name that no checkpoint needs is refused. */
export function callByName({ path }: PickledName, args: readonly unknown[]): unknown {
  const call = Object.hasOwn(CALLS, path) ? CALLS[path] : undefined;
  if (call) return call(args);
  if (isInert(path)) return new InertObject(path);
  throw new CheckpointError("refused", explainRefusal(path));
}

function isInert(path: string): boolean {
  return (
    INERT_NAMES.has(path) ||
    INERT_MODULES.some((module) => path.startsWith(`${module}.`)) ||
    INERT_TORCH.some((start) => path.startsWith(start))
  );
}

function explainRefusal(path: string): string {
  if (/^torch\._utils\._rebuild_\w*(sparse|qtensor|nested|meta)/.test(path))
    return `The file has tensors of a kind that no separation network uses (${path}).`;
  return (
    `The file asks to call ${path}, which is refused: loading a checkpoint never runs code. ` +
    "If you trust the file, open it in PyTorch and save its weights alone: torch.save(model.state_dict(), path)."
  );
}

/** `('storage', type, key, device, count)`, and in the old format a sixth part for views of other storages. */
export function toStorage(id: unknown): PickledStorage {
  const parts = Array.isArray(id) ? id : [];
  const [kind, type, given, , count, view] = parts as unknown[];
  const key = findText(given);
  if (
    kind !== "storage" ||
    key === undefined ||
    !(type instanceof PickledName) ||
    typeof count !== "number" ||
    view
  )
    throw makeDamagedError("it refers to something that is no storage");
  const name = type.path.slice(type.path.lastIndexOf(".") + 1);
  const dtype = Object.hasOwn(STORAGE_TYPES, name) ? STORAGE_TYPES[name] : undefined;
  if (!type.path.startsWith("torch.") || dtype === undefined)
    throw new CheckpointError(
      "unsupported",
      `The file has numbers of the type ${type.path}, which no known network uses.`,
    );
  return { kind: "storage", key, dtype, elementCount: count };
}
