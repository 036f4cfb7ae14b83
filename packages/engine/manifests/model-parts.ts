import { isStemManifest, type Manifest, type StemManifest } from "./manifest.ts";

/** What a model's sound consists of: some of the parts that a family of networks divides their input into. */
export type ModelParts = { parts: string[]; whole: string[] };

type Split = { stems: ReadonlyMap<string, readonly string[]>; whole: readonly string[] };

/** Stems whose sound depends on which others the network has: they are no statement about another network's. */
const REMAINDERS = new Set(["other", "rest", "residual", "instrumental"]);
const isNamed = (stem: string) => !REMAINDERS.has(stem);

/**
 * By network and model, the parts of every model that is a sum of stems, from what the manifests say of their networks. A stem that another network separates further is that
 * network's stems. Two networks of the same input share the parts that both name, and the single stem one of them has besides is all the others of the
 * other network; with more than one of these nothing is known, and their parts are unrelated.
 */
export function listModelParts(manifests: readonly Manifest[]): Map<string, Map<string, ModelParts>> {
  const networks = manifests.filter(isStemManifest);
  const splits = new Map<string, Split>();
  const first = networks.filter(({ reads }) => reads === undefined);
  for (const network of first) splitWithin({ network, siblings: first, networks, splits });
  return new Map(networks.map((network) => [network.id, listParts(network, splits.get(network.id))]));
}

function listParts({ serves, stems }: StemManifest, split: Split | undefined): Map<string, ModelParts> {
  return new Map(
    serves.map(({ model, stem, without = [] }) => {
      const named = stem ?? stems.filter((each) => !without.includes(each));
      const own = new Set(named.flatMap((each) => split?.stems.get(each) ?? []));
      return [model, { parts: [...own], whole: [...(split?.whole ?? [])] }];
    }),
  );
}

type Families = {
  network: StemManifest;
  /** Networks that read the same. */
  siblings: readonly StemManifest[];
  networks: readonly StemManifest[];
  splits: Map<string, Split>;
};

/** Divides what the network reads, and its stems in turn. Returns the parts of each stem. */
function splitWithin(families: Families): void {
  const { network, siblings, networks, splits } = families;
  if (splits.has(network.id)) return;
  const finest = siblings.toSorted((a, b) => b.stems.length - a.stems.length)[0] ?? network;
  if (finest.id !== network.id) splitWithin({ ...families, network: finest });
  const known = splits.get(finest.id);
  const shared = known && finest.id !== network.id ? relate(network, finest, known) : undefined;
  if (shared) {
    splits.set(network.id, shared);
    return;
  }
  const stems = new Map(network.stems.map((stem) => [stem, divide(network, stem, { networks, splits })]));
  const whole = [...stems.values()].flat();
  splits.set(network.id, { stems, whole });
  // Those that read its stems are parts of the same whole.
  const tell = (reader: StemManifest) => {
    const split = splits.get(reader.id);
    if (!split?.whole.every((part) => whole.includes(part))) return;
    splits.set(reader.id, { ...split, whole });
    for (const next of networks.filter(({ reads }) => reads?.network === reader.id)) tell(next);
  };
  for (const reader of networks.filter(({ reads }) => reads?.network === network.id)) tell(reader);
}

/** The parts of a stem: those of the network that separates it further, or itself. */
function divide(
  network: StemManifest,
  stem: string,
  { networks, splits }: Pick<Families, "networks" | "splits">,
): readonly string[] {
  const readers = networks.filter(({ reads }) => reads?.network === network.id && reads.stem === stem);
  for (const reader of readers) splitWithin({ network: reader, siblings: readers, networks, splits });
  const [finest] = readers.toSorted((a, b) => b.stems.length - a.stems.length);
  const split = finest && splits.get(finest.id);
  return split?.whole ?? [`${network.id}/${stem}`];
}

/** A network's stems in the parts of a finer one of the same input, if their names say how. */
function relate(network: StemManifest, finest: StemManifest, known: Split): Split | undefined {
  const shared = network.stems.filter((stem) => isNamed(stem) && finest.stems.includes(stem));
  const others = network.stems.filter((stem) => !shared.includes(stem));
  const left = finest.stems
    .filter((stem) => !shared.includes(stem))
    .flatMap((stem) => known.stems.get(stem) ?? []);
  const isSame = others.length === 0 && left.length === 0;
  if (shared.length === 0 || !(isSame || (others.length === 1 && left.length > 0))) return undefined;
  const stems = new Map<string, readonly string[]>(shared.map((stem) => [stem, known.stems.get(stem) ?? []]));
  for (const stem of others) stems.set(stem, left);
  return { stems, whole: known.whole };
}
