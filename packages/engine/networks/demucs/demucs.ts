import { extname } from "node:path";
import { SafeTensors } from "../../checkpoints/safetensors.ts";
import type { StemManifest } from "../../manifests/manifest.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { ByteFile } from "../../runtime/onnx/byte-file.ts";
import { OnnxWeights } from "../../runtime/onnx/onnx-weights.ts";
import { loadOnGpu, type SoundGraphFile } from "../sound-graph.ts";
import { getStemIndex, type LoadedNetwork, type StemNetwork } from "../stem-network.ts";
import { toWeightsByName, type WeightsByName, withPrefix } from "../weights-by-name.ts";
import { type BagConfig, type DemucsConfig, parseBag } from "./demucs-config.ts";
import { ExportedWeights } from "./exported-weights.ts";
import { buildWhole } from "./graph/build-whole.ts";
import { type HybridBuffers, HybridNetwork } from "./hybrid-network.ts";
import { recogniseDemucs } from "./recognise.ts";
import { SegmentSpectrum } from "./segment-spectrum.ts";
import { denormalise, normalise, type StandardScore } from "./standard-score.ts";

/**
 * Demucs v3 and v4, or several of them whose stems are averaged. Each takes a segment as waveform and as spectrogram (real and imaginary parts as
 * channels) and returns each stem in both forms; the stem is their sum.
 */
export class Demucs implements StemNetwork {
  static readonly title = "Demucs";
  static readonly recognise = recogniseDemucs;
  readonly segmentFrames: number;
  readonly #manifest: StemManifest;
  readonly #bag: BagConfig;
  readonly #load: LoadMember;
  readonly #whole: readonly Member[];
  /** For the last piece of a signal, whose length may be any. */
  #short: { lengthFrames: number; members: Promise<Member>[] } | undefined;

  static async load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
    const bag = parseBag(manifest);
    const onGpu =
      bag.members.length === 1 && manifest.channels === 2
        ? await loadOnGpu(() => Demucs.toSoundGraph(path, manifest), manifest, options)
        : undefined;
    if (onGpu) return onGpu;
    const load = async (index: number, lengthFrames: number) => {
      using opened = openWeights(path);
      const member = { config: bag.members[index]!, weights: takeMember(opened.weights, bag, index) };
      return await Member.load(member, lengthFrames, options);
    };
    const members: Member[] = [];
    for (const index of bag.members.keys()) members.push(await load(index, manifest.segmentFrames));
    return { network: new Demucs(manifest, { bag, load, members }), runsOn: members[0]!.runsOn };
  }

  /** The same network as one graph, for GPUs. */
  static toSoundGraph(path: string, manifest: StemManifest): SoundGraphFile {
    const { segmentFrames } = manifest;
    const bag = parseBag(manifest);
    const config = bag.members[0]!;
    const spectrum = new SegmentSpectrum(config, segmentFrames);
    using opened = openWeights(path);
    const network = { config, weights: takeMember(opened.weights, bag, 0) };
    return {
      file: buildWhole(network, segmentFrames),
      paddedFrames: spectrum.paddedFrames,
      pad: (channel) => spectrum.pad(channel),
    };
  }

  private constructor(
    manifest: StemManifest,
    { bag, load, members }: { bag: BagConfig; load: LoadMember; members: readonly Member[] },
  ) {
    this.segmentFrames = manifest.segmentFrames;
    this.#manifest = manifest;
    this.#bag = bag;
    this.#load = load;
    this.#whole = members;
  }

  async separate(
    segment: readonly Float32Array[],
    stems: readonly string[],
    onProgress?: (fraction: number) => void,
  ): Promise<Map<string, Float32Array[]>> {
    const lengthFrames = segment[0]!.length;
    const wanted = stems.map((stem) => ({ stem, index: getStemIndex(this.#manifest.stems, stem) }));
    const used = [...this.#bag.members.keys()].filter((member) =>
      wanted.some(({ index }) => this.#weigh(member, index) > 0),
    );
    const separated = new Map<string, Float32Array[]>(
      stems.map((stem) => [stem, segment.map(() => new Float32Array(lengthFrames))]),
    );
    for (const [done, at] of used.entries()) {
      const member = await this.#getMember(at, lengthFrames);
      const own = wanted.filter(({ index }) => this.#weigh(at, index) > 0);
      const tell = (fraction: number) => onProgress?.((done + fraction) / used.length);
      const planes = await member.separate(
        segment,
        own.map(({ index }) => index),
        tell,
      );
      own.forEach(({ stem, index }, n) => {
        const share = this.#weigh(at, index);
        if (share === 1) separated.set(stem, planes[n]!);
        else {
          for (const [channel, sum] of separated.get(stem)!.entries())
            addScaled(sum, planes[n]![channel]!, share);
        }
      });
    }
    return separated;
  }

  /** The share of a member in a stem. */
  #weigh(member: number, stem: number): number {
    const { weights } = this.#bag;
    if (weights === undefined) return 1 / this.#bag.members.length;
    const total = weights.reduce((sum, row) => sum + row[stem]!, 0);
    return weights[member]![stem]! / total;
  }

  #getMember(index: number, lengthFrames: number): Member | Promise<Member> {
    if (lengthFrames === this.segmentFrames) return this.#whole[index]!;
    if (this.#short?.lengthFrames !== lengthFrames) this.#short = { lengthFrames, members: [] };
    this.#short.members[index] ??= this.#load(index, lengthFrames);
    return this.#short.members[index]!;
  }
}

function addScaled(sum: Float32Array, plane: Float32Array, factor: number): void {
  for (let n = 0; n < sum.length; n++) sum[n]! += plane[n]! * factor;
}

/** The weights we ship are in an exported graph, those of added networks in a separate file. */
function openWeights(path: string): Disposable & { weights: WeightsByName } {
  if (extname(path) === ".onnx") {
    const file = new ByteFile(path);
    return {
      weights: new ExportedWeights(new OnnxWeights(file)),
      [Symbol.dispose]: () => file[Symbol.dispose](),
    };
  }
  const tensors = new SafeTensors(path);
  return { weights: toWeightsByName(tensors), [Symbol.dispose]: () => tensors[Symbol.dispose]() };
}

function takeMember(weights: WeightsByName, { members }: BagConfig, index: number): WeightsByName {
  return members.length === 1 ? weights : withPrefix(weights, `${index}.`);
}

type LoadMember = (member: number, lengthFrames: number) => Promise<Member>;

/** One Demucs for segments of one length. */
class Member {
  readonly #config: DemucsConfig;
  readonly #lengthFrames: number;
  readonly #network: HybridNetwork;
  readonly #spectrum: SegmentSpectrum;
  /** As many as there were concurrent segments. */
  readonly #spareBuffers: HybridBuffers[] = [];

  static async load(
    member: { config: DemucsConfig; weights: WeightsByName },
    lengthFrames: number,
    options: SessionOptions,
  ): Promise<Member> {
    const { config } = member;
    const spectrum = new SegmentSpectrum(config, lengthFrames);
    const network = await HybridNetwork.load(
      member,
      { ...options, executionProvider: "cpu" },
      {
        waveform: [1, config.audioChannels, lengthFrames],
        spectrum: [1, 2 * config.audioChannels, spectrum.binCount, spectrum.slotCount],
      },
    );
    return new Member(config, { network, spectrum, lengthFrames });
  }

  private constructor(
    config: DemucsConfig,
    {
      network,
      spectrum,
      lengthFrames,
    }: { network: HybridNetwork; spectrum: SegmentSpectrum; lengthFrames: number },
  ) {
    this.#config = config;
    this.#network = network;
    this.#spectrum = spectrum;
    this.#lengthFrames = lengthFrames;
  }

  get runsOn(): string {
    return this.#network.runsOn;
  }

  /** The channels of each requested stem. */
  async separate(
    segment: readonly Float32Array[],
    stems: readonly number[],
    onProgress: (fraction: number) => void,
  ): Promise<Float32Array[][]> {
    const buffers = this.#spareBuffers.pop() ?? this.#network.makeBuffers();
    const { waveform, spectrum } = buffers;
    segment.forEach((plane, channel) => {
      waveform.set(plane, channel * this.#lengthFrames);
      this.#spectrum.analyse(plane, this.#spectrumPlanes(spectrum, channel));
    });
    const scores = { waveform: normalise(waveform), spectrum: normalise(spectrum) };
    const filled = await this.#network.run(buffers, onProgress);
    this.#spareBuffers.push(filled);
    return stems.map((stem) => this.#collect(stem, filled, scores));
  }

  #collect(
    stem: number,
    { waveformOut, spectrumOut }: HybridBuffers,
    scores: { waveform: StandardScore; spectrum: StandardScore },
  ): Float32Array[] {
    const { audioChannels } = this.#config;
    return Array.from({ length: audioChannels }, (_, channel) => {
      const row = stem * audioChannels + channel;
      const planes = this.#spectrumPlanes(spectrumOut, row);
      denormalise(planes.re, scores.spectrum);
      denormalise(planes.im, scores.spectrum);
      const plane = this.#spectrum.synthesise(planes);
      const { mean, deviation } = scores.waveform;
      const start = row * this.#lengthFrames;
      for (let n = 0; n < plane.length; n++) plane[n]! += waveformOut[start + n]! * deviation + mean;
      return plane;
    });
  }

  #spectrumPlanes(planes: Float32Array, row: number): { re: Float32Array; im: Float32Array } {
    const { binCount, slotCount } = this.#spectrum;
    const size = binCount * slotCount;
    const start = 2 * row * size;
    return {
      re: planes.subarray(start, start + size),
      im: planes.subarray(start + size, start + 2 * size),
    };
  }
}
