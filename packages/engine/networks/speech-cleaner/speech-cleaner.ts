import type { StemManifest } from "../../manifests/manifest.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { MaskNetwork } from "../band-split/mask-network.ts";
import { STEREO_TRANSFORM } from "../band-split/window-spectrum.ts";
import { getStemIndex, type LoadedNetwork, type StemNetwork } from "../stem-network.ts";

type Pair = readonly [Float32Array, Float32Array];

/** Our network that separates a speech recording into dry speech, reverberation and noise, which sum to it. It takes mono. */
export class SpeechCleaner implements StemNetwork {
  readonly segmentFrames: number;
  readonly #stems: readonly string[];
  readonly #network: MaskNetwork;

  static async load(
    path: string,
    { segmentFrames, stems }: Pick<StemManifest, "segmentFrames" | "stems">,
    options: SessionOptions,
  ): Promise<LoadedNetwork> {
    const shape = { windowFrames: segmentFrames, transform: STEREO_TRANSFORM };
    const { network, runsOn } = await MaskNetwork.load(path, shape, options);
    return { network: new SpeechCleaner({ segmentFrames, stems }, network), runsOn };
  }

  private constructor(
    { segmentFrames, stems }: Pick<StemManifest, "segmentFrames" | "stems">,
    network: MaskNetwork,
  ) {
    this.segmentFrames = segmentFrames;
    this.#stems = stems;
    this.#network = network;
  }

  /** Runs on the downmix and applies its masks to each channel, so a voice keeps its position in the stereo image. */
  async separate(segment: Pair, stems: readonly string[]): Promise<Map<string, Float32Array[]>> {
    const [left, right] = segment;
    // A mono group arrives as the same array twice.
    const channels = left === right ? [left] : [left, right];
    const indexes = stems.map((stem) => getStemIndex(this.#stems, stem));
    const separated = await this.#network.separateEach(channels, indexes);
    const toPair = (planes: Float32Array[]) => (channels.length === 1 ? [...planes, ...planes] : planes);
    return new Map(stems.map((stem, n) => [stem, toPair(separated[n]!)]));
  }
}
