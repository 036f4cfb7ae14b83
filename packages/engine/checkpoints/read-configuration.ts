import { isCollection, isScalar, parseDocument, visit } from "yaml";
import { CheckpointError } from "./checkpoint-error.ts";
import type { Plain } from "./checkpoint-state.ts";

/** The largest published one has 12 kB. */
export const MAX_CONFIGURATION_BYTES = 1 << 20;
const PYTHON_TAG = /^(tag:yaml\.org,2002:python\/|!!?python\/)/;
/** Anchors of published files are used a few times; more is a bomb. */
const MAX_ALIASES = 100;

/** The YAML of a network, as PyYAML reads it (YAML 1.1), but without any tag that would make a Python object other than a tuple. */
export function readConfiguration(text: string): { [key: string]: Plain } {
  const document = parseDocument(text, {
    version: "1.1",
    logLevel: "silent",
    customTags: [
      { tag: "tag:yaml.org,2002:python/tuple", collection: "seq", resolve: (sequence: unknown) => sequence },
    ],
  });
  const [fault] = document.errors;
  if (fault !== undefined)
    throw new CheckpointError(
      "damaged",
      `The configuration is not valid YAML: ${fault.message.split("\n")[0]}`,
    );
  visit(document, {
    Node(_, node) {
      const tag = isCollection(node) || isScalar(node) ? node.tag : undefined;
      if (tag !== undefined && PYTHON_TAG.test(tag) && !tag.endsWith("python/tuple"))
        throw new CheckpointError(
          "refused",
          `The configuration asks for a Python object (${tag.replace(/^.*python\//, "!!python/")}), which is refused: reading it never runs code.`,
        );
    },
  });
  const value = toValue(document);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new CheckpointError("unsupported", "The configuration is not a list of settings by name.");
  return value as { [key: string]: Plain };
}

function toValue(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    throw new CheckpointError("damaged", "The configuration refers to itself too often.", { cause });
  }
}

/** A Demucs bag: several models whose outputs are averaged. */
export type Bag = {
  signatures: string[];
  /** A row for each model, a column for each of its stems. */
  weights?: number[][];
  segmentSeconds?: number;
};

/** Undefined if the configuration is that of a network. */
export function findBag(configuration: { [key: string]: Plain }): Bag | undefined {
  const { models, weights, segment } = configuration;
  if (!Array.isArray(models)) return undefined;
  const signatures = models.map(String);
  const wrong = signatures.find((signature) => !/^[0-9A-Za-z_]{1,40}$/.test(signature));
  if (wrong !== undefined || signatures.length === 0 || signatures.length > MAX_BAG)
    throw new CheckpointError(
      "unsupported",
      `The bag names ${wrong === undefined ? `${signatures.length} models` : `a model ${JSON.stringify(wrong)}`}; it must be 1 to ${MAX_BAG} signatures such as 955717e8.`,
    );
  return {
    signatures,
    ...(weights === undefined || weights === null ? {} : { weights: toRows(weights, signatures.length) }),
    ...(typeof segment === "number" ? { segmentSeconds: segment } : {}),
  };
}

const MAX_BAG = 16;

function toRows(weights: Plain, count: number): number[][] {
  const isRow = (row: Plain): row is number[] =>
    Array.isArray(row) && row.every((weight) => typeof weight === "number" && weight >= 0);
  if (Array.isArray(weights) && weights.length === count && weights.every(isRow)) return weights;
  throw new CheckpointError(
    "unsupported",
    "The bag's weights must be a row of numbers for each of its models.",
  );
}
