import { type Checkpoint, CheckpointRefused, type DemucsPackage, type Recognised } from "../architecture.ts";
import { checkTransform } from "../msst-configuration.ts";
import { type DemucsConfig, EMBEDDING_SCALE, parseBag } from "./demucs-config.ts";

type Kind = "htdemucs" | "hdemucs";
type Shapes = ReadonlyMap<string, readonly number[]>;
type Options = Readonly<Record<string, unknown>>;

const TITLES = { htdemucs: "Demucs v4 (htdemucs)", hdemucs: "Demucs v3 (hdemucs)" } as const;
/** The order of the released networks. */
const USUAL_STEMS = ["drums", "bass", "other", "vocals", "guitar", "piano"];
const USUAL_SEGMENTS = { htdemucs: "39/5", hdemucs: 44 } as const;
const USUAL_RATE_HZ = 44_100;
/** Of the tensors of a bag's only network, which is stored like one without a bag. */
const MEMBER_PREFIX = "0.";
const OVERLAP_SHARE = 0.25;
const MSST_OVERLAPS = 4;

/** Arguments that change the network in ways we don't build, and the values we do. */
const FIXED: Record<string, readonly unknown[]> = {
  cac: [true],
  hybrid: [true],
  wiener_iters: [0],
  wiener_residual: [false],
  num_subbands: [1],
  t_emb: ["sin"],
  t_norm_first: [true],
  t_norm_in_group: [false, 0],
  t_group_norm: [false, 0],
  t_norm_out: [true, false, 1],
  t_sparse_self_attn: [false],
  t_sparse_cross_attn: [false],
};

export function recogniseDemucs(checkpoint: Checkpoint): Recognised | undefined {
  const shapes = new Map(checkpoint.tensors.map(({ name, shape }) => [name, shape]));
  const members = checkpoint.bag?.members ?? [checkpoint.demucs];
  const views = members.map((_, index) => (checkpoint.bag ? takeMember(shapes, index) : shapes));
  const kinds = views.map(findKind);
  if (kinds.every((kind) => kind === undefined)) return undefined;
  const assumptions: string[] = [];
  const understood = members.map((member, index) => {
    const kind = kinds[index];
    if (kind === undefined)
      throw new CheckpointRefused(`Network ${index + 1} of ${checkpoint.fileName} is no Demucs v3 or v4.`);
    return understand(checkpoint, { kind, shapes: views[index]!, member, assumptions });
  });
  const [first] = understood as [Understood];
  const facts = ({ stems, segmentFrames, sampleRateHz, channels }: Understood) =>
    JSON.stringify([stems, segmentFrames, sampleRateHz, channels]);
  if (understood.some((other) => facts(other) !== facts(first)))
    throw new CheckpointRefused(
      `The networks of ${checkpoint.fileName} differ in their stems, sample rate or segments.`,
    );
  for (const { config, segmentFrames } of understood) {
    const { fftSize = 4096 } = config;
    checkTransform({ fftSize, hopFrames: fftSize / 4, segmentFrames });
  }
  const { config: _, takesAnyLength, ...rest } = first;
  const weights = checkpoint.bag?.weights;
  if (
    weights &&
    (weights.length !== members.length || weights.some((row) => row.length !== first.stems.length))
  )
    throw new CheckpointRefused(`The weights of ${checkpoint.fileName} don't fit its networks and stems.`);
  const configuration = {
    members: understood.map(({ config }) => config),
    ...(weights && { weights }),
  };
  parseBag({ configuration });
  const isBare = checkpoint.msst !== undefined && checkpoint.demucs === undefined && !checkpoint.bag;
  return {
    ...rest,
    family: "demucs",
    title: members.length > 1 ? `${first.title}, ${members.length} networks` : first.title,
    configuration,
    ...(isBare
      ? { chunking: { convention: "mean", overlapCount: readOverlaps(checkpoint) } }
      : {
          chunking: { convention: "demucs", overlapShare: OVERLAP_SHARE, takesAnyLength },
          levelling: "sample" as const,
        }),
    assumptions: [...new Set(assumptions)],
    stored: checkpoint.tensors
      .filter(({ dtype }) => !dtype.startsWith("I") && dtype !== "BOOL")
      .map(({ name }) => ({
        name: checkpoint.bag && members.length === 1 ? name.slice(MEMBER_PREFIX.length) : name,
        from: name,
      })),
  };
}

type Understood = Pick<Recognised, "title" | "stems" | "sampleRateHz" | "channels" | "segmentFrames"> & {
  config: Partial<DemucsConfig>;
  takesAnyLength: boolean;
};

/** The tensors of one network of a bag. */
function takeMember(shapes: Shapes, index: number): Shapes {
  const prefix = `${index}.`;
  const own = [...shapes].filter(([name]) => name.startsWith(prefix));
  return new Map(own.map(([name, shape]) => [name.slice(prefix.length), shape]));
}

function findKind(shapes: Shapes): Kind | undefined {
  if (shapes.get("encoder.0.0.weight")?.length === 3 && shapes.has("decoder.0.0.weight"))
    throw new CheckpointRefused(
      "This is a Demucs v1 or v2, which separates waveforms alone. It can't be run.",
    );
  if (shapes.get("encoder.0.conv.weight")?.length !== 4 || !shapes.has("tencoder.0.conv.weight"))
    return undefined;
  return shapes.has("crosstransformer.layers.0.linear1.weight") ? "htdemucs" : "hdemucs";
}

function understand(
  checkpoint: Checkpoint,
  found: { kind: Kind; shapes: Shapes; member: DemucsPackage | undefined; assumptions: string[] },
): Understood {
  const { kind, shapes, member, assumptions } = found;
  const options = readOptions(checkpoint, kind, member);
  refuseOptions(options, shapes);
  const lastLayer = Math.max(
    ...[...shapes.keys()].map((name) => Number(/^tdecoder\.(\d+)\./.exec(name)?.[1] ?? -1)),
  );
  const outputs = shapes.get(`tdecoder.${lastLayer}.conv_tr.weight`)?.[1] ?? 0;
  const channels = shapes.get("tencoder.0.conv.weight")![1]!;
  if (channels !== 1 && channels !== 2)
    throw new CheckpointRefused(`The network takes ${channels} channels; networks of 1 or 2 can be run.`);
  const stemCount = outputs / channels;
  const stems = readStems(options, stemCount, assumptions);
  const assume = (what: string, value: unknown) => assumptions.push(`${what}: ${String(value)}`);
  const number = (name: string, usual: number, what?: string) => {
    const value = options[name];
    if (typeof value === "number") return value;
    if (what && value === undefined && !hasOptions(checkpoint, member)) assume(what, usual);
    return usual;
  };
  const sampleRateHz = number("samplerate", USUAL_RATE_HZ, "sample rate in Hz");
  if (options.segment === undefined && !hasOptions(checkpoint, member))
    assume("segment in seconds", USUAL_SEGMENTS[kind]);
  const segment = toSeconds(options.segment ?? (hasOptions(checkpoint, member) ? 10 : USUAL_SEGMENTS[kind]));
  const heads = number("t_heads", 8, kind === "htdemucs" ? "attention heads" : undefined);
  const stride = number("stride", 4);
  return {
    title: TITLES[kind],
    stems,
    sampleRateHz,
    channels,
    segmentFrames: Math.floor(sampleRateHz * segment),
    takesAnyLength: kind === "hdemucs" || options.use_train_segment === false,
    config: {
      fftSize: number("nfft", 4096),
      audioChannels: channels,
      stemCount,
      stride,
      timeStride: number("time_stride", 2),
      normGroups: number("norm_groups", 4),
      embeddingGain: number("freq_emb", 0.2),
      embeddingScale: number("emb_scale", EMBEDDING_SCALE),
      isShifted: options.hybrid_old === true,
      dilates: number("dconv_depth", 2) > 0,
      transformer: {
        heads,
        activation: options.t_gelu === false ? "relu" : "gelu",
        positionGain: number("t_weight_pos_embed", 1),
        longestPeriod: number("t_max_period", 10_000),
      },
    },
  };
}

function hasOptions({ msst }: Checkpoint, member: DemucsPackage | undefined): boolean {
  return member !== undefined || msst !== undefined;
}

/** Demucs' arguments by name, from its package or from the section of a YAML. */
function readOptions({ msst, bag }: Checkpoint, kind: Kind, member: DemucsPackage | undefined): Options {
  if (member) {
    const segment = bag?.segment;
    const own: Options = { sources: member.args[0], ...member.options };
    const isLonger = kind === "htdemucs" && segment !== undefined && segment > toSeconds(own.segment ?? 10);
    return segment === undefined || isLonger ? own : { ...own, segment };
  }
  if (msst === undefined) return {};
  const training = toRecord(msst.training);
  return {
    ...toRecord(msst[kind]),
    sources: training.instruments,
    samplerate: training.samplerate,
    segment: training.segment,
    use_train_segment: true,
  };
}

function refuseOptions(options: Options, shapes: Shapes): void {
  const refuse = (name: string, value: unknown) => {
    throw new CheckpointRefused(`Its ${name} is ${JSON.stringify(value)}; such a Demucs can't be run.`);
  };
  for (const [name, allowed] of Object.entries(FIXED)) {
    const value = options[name];
    if (value !== undefined && value !== null && !allowed.includes(value)) refuse(name, value);
  }
  const { multi_freqs: bands, stride = 4, kernel_size: kernel = 8, time_stride: timeStride = 2 } = options;
  if (Array.isArray(bands) && bands.length > 0) refuse("multi_freqs", bands);
  if (kernel !== 2 * Number(stride) || Number(stride) % 2 !== 0) refuse("kernel_size", kernel);
  if (Number(timeStride) % 2 !== 0) refuse("time_stride", timeStride);
  const ownKernel = shapes.get("encoder.0.conv.weight")?.[2];
  if (ownKernel !== kernel) refuse("kernel_size", ownKernel);
}

function readStems({ sources }: Options, count: number, assumptions: string[]): string[] {
  if (Array.isArray(sources)) {
    const names = sources.map(String);
    if (names.length !== count)
      throw new CheckpointRefused(`It names the stems ${names.join(", ")}, but its weights make ${count}.`);
    return names;
  }
  const usual = count === 4 || count === 6 ? USUAL_STEMS.slice(0, count) : undefined;
  const names = usual ?? Array.from({ length: count }, (_, index) => `stem_${index + 1}`);
  assumptions.push(`stems: ${names.join(", ")}`);
  return names;
}

/** A number, or a fraction such as `39/5`. */
function toSeconds(value: unknown): number {
  const [above = Number.NaN, below = 1] = String(value).split("/").map(Number);
  const seconds = above / below;
  if (!(seconds > 0 && seconds < 3600))
    throw new CheckpointRefused(`Its segment of ${JSON.stringify(value)} seconds can't be used.`);
  return seconds;
}

function readOverlaps({ msst }: Checkpoint): number {
  const overlaps = toRecord(msst?.inference).num_overlap;
  return typeof overlaps === "number" ? overlaps : MSST_OVERLAPS;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
