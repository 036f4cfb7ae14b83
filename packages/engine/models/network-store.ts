import type { ModelManifest } from "../runtime/model-manifest.ts";
import { NetworkSession } from "../runtime/network-session.ts";
import { getVerifiedWeightsPath } from "../runtime/weights-file.ts";
import { BandSplit } from "./band-split/band-split.ts";
import { Htdemucs } from "./htdemucs/htdemucs.ts";
import type { NetworkSource, StemNetwork } from "./stem-network.ts";

const FAMILIES = { htdemucs: Htdemucs, "band-split": BandSplit } as const;

/** Networks loaded so far, kept for the next request: loading htdemucs takes one to two seconds. */
export class NetworkStore implements NetworkSource {
  readonly #options: { threads: number; cacheDir?: string };
  readonly #loaded = new Map<string, StemNetwork>();

  constructor(options: { threads: number; cacheDir?: string }) {
    this.#options = options;
  }

  async getNetwork(manifest: ModelManifest): Promise<StemNetwork> {
    const key = manifest.weights.sha256;
    const network = this.#loaded.get(key) ?? (await this.#load(manifest));
    this.#loaded.set(key, network);
    return network;
  }

  async #load(manifest: ModelManifest): Promise<StemNetwork> {
    const path = getVerifiedWeightsPath(manifest, this.#options.cacheDir);
    const session = await NetworkSession.load(path, { threads: this.#options.threads });
    return new FAMILIES[manifest.family](session, manifest);
  }
}
