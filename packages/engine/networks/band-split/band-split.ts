import type { StemManifest } from "../../manifests/manifest.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { ByteFile } from "../../runtime/onnx/byte-file.ts";
import { OnnxWeights } from "../../runtime/onnx/onnx-weights.ts";
import { loadOnGpu, type SoundGraphFile } from "../sound-graph.ts";
import { getStemIndex, type LoadedNetwork, type StemNetwork } from "../stem-network.ts";
import { buildWhole } from "./graph/build-whole.ts";
import { TrainedWeights } from "./graph/trained-weights.ts";
import { MaskNetwork } from "./mask-network.ts";
import { STEREO_TRANSFORM, WindowSpectrum } from "./window-spectrum.ts";

/** Our networks that separate stereo into stems that sum to the input. */
export class BandSplit implements StemNetwork {
  readonly segmentFrames: number;
  readonly #stems: readonly string[];
  readonly #network: MaskNetwork;

  static async load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
    const onGpu = await loadOnGpu(() => BandSplit.toSoundGraph(path, manifest), manifest, options);
    if (onGpu) return onGpu;
    const shape = { windowFrames: manifest.segmentFrames, transform: STEREO_TRANSFORM };
    const { network, runsOn } = await MaskNetwork.load(path, shape, options);
    return { network: new BandSplit(manifest, network), runsOn };
  }

  /** The same network as one graph, for GPUs. */
  static toSoundGraph(path: string, { segmentFrames: windowFrames }: StemManifest): SoundGraphFile {
    const spectrum = new WindowSpectrum(windowFrames, STEREO_TRANSFORM);
    const { binCount, paddedFrames } = spectrum;
    using file = new ByteFile(path);
    const weights = new TrainedWeights(new OnnxWeights(file));
    const transform = { ...STEREO_TRANSFORM, scaling: "none", binCount } as const;
    return {
      file: buildWhole(weights, { windowFrames, transform }),
      paddedFrames,
      pad: (channel) => spectrum.pad(channel),
    };
  }

  private constructor(
    { segmentFrames, stems }: Pick<StemManifest, "segmentFrames" | "stems">,
    network: MaskNetwork,
  ) {
    this.segmentFrames = segmentFrames;
    this.#stems = stems;
    this.#network = network;
  }

  async separate(
    segment: readonly [Float32Array, Float32Array],
    stems: readonly string[],
  ): Promise<Map<string, Float32Array[]>> {
    const spectra = await this.#network.infer(segment);
    const separated = stems.map(
      (stem) => [stem, this.#network.takeStem(spectra, getStemIndex(this.#stems, stem))] as const,
    );
    this.#network.release(spectra);
    return new Map(separated);
  }
}
