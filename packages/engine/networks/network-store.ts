import type {
  AnalysisManifest,
  GpuManifest,
  Manifest,
  MusicManifest,
  SpeakerManifests,
  SpeechManifest,
  StemManifest,
  VoiceActivityManifest,
  VoiceManifest,
} from "../manifests/manifest.ts";
import type { SessionOptions } from "../runtime/create-session.ts";
import type { ExecutionProvider } from "../runtime/execution-provider.ts";
import { GraphSession } from "../runtime/graph-session.ts";
import { getVerifiedWeightsPath } from "../runtime/weights-file.ts";
import { MusicAnalyser } from "./music-analyser/music-analyser.ts";
import { MusicDetector } from "./music-detector/music-detector.ts";
import type { Networks } from "./networks.ts";
import { getStemFamily, isGpuManifest } from "./registry.ts";
import { SileroVad } from "./silero-vad/silero-vad.ts";
import type { LoadedNetwork } from "./stem-network.ts";
import type { SpeakerNetworks } from "./voice-networks.ts";
import { SpeakerEmbedding } from "./voices/speaker-embedding.ts";
import { SpeakerSegmentation } from "./voices/speaker-segmentation.ts";
import { type LoadedSeparator, VoiceSeparator } from "./voices/voice-separator.ts";
import { loadWhisper } from "./whisper/load-whisper.ts";
import type { Whisper } from "./whisper/whisper.ts";
import { XVector } from "./x-vector/x-vector.ts";

type CpuOptions = Omit<SessionOptions, "executionProvider"> & { cacheDir?: string };
type StoreHooks = {
  /** Chooses the provider of a network that can run on GPUs; the CPU by default. */
  chooseProvider?: (manifest: GpuManifest) => Promise<ExecutionProvider>;
  /** Called for each such network with what it actually runs on. */
  onLoaded?: (manifest: GpuManifest, runsOn: string) => void;
};

/** Caches loaded networks for the next request: loading htdemucs takes about a second. */
export class NetworkStore implements Networks {
  readonly #options: CpuOptions;
  /** Kept out of the options, which are sent to the graphs' threads. */
  readonly #hooks: StoreHooks;
  readonly #loaded = new Map<string, Promise<unknown>>();

  constructor({ chooseProvider, onLoaded, ...options }: CpuOptions & StoreHooks) {
    this.#options = options;
    this.#hooks = { ...(chooseProvider ? { chooseProvider } : {}), ...(onLoaded ? { onLoaded } : {}) };
  }

  getNetwork(manifest: StemManifest): Promise<LoadedNetwork> {
    // Another network may have been added under the id of one that was removed.
    return this.#get(`${manifest.id} ${manifest.weights.sha256}`, async () => {
      const forGpu = isGpuManifest(manifest) ? manifest : undefined;
      const options = forGpu ? await this.#optionsFor(forGpu) : this.#options;
      const loaded = await getStemFamily(manifest).load(this.#verify(manifest), manifest, options);
      if (forGpu) this.#hooks.onLoaded?.(forGpu, loaded.runsOn);
      return loaded;
    });
  }

  getWhisper(manifest: SpeechManifest): Promise<Whisper> {
    return this.#get(manifest.id, async () => {
      const whisper = await loadWhisper(manifest, await this.#optionsFor(manifest));
      this.#hooks.onLoaded?.(manifest, whisper.runsOn);
      return whisper;
    });
  }

  getVoiceActivity(manifest: VoiceActivityManifest): Promise<SileroVad> {
    return this.#get(manifest.id, async () => {
      // A block takes 0.1 ms: waking a second thread costs more.
      return new SileroVad(await GraphSession.load(this.#verify(manifest), { threads: 1 }));
    });
  }

  getMusicDetector(manifest: MusicManifest): Promise<MusicDetector> {
    return this.#get(manifest.id, async () => {
      return new MusicDetector(await GraphSession.load(this.#verify(manifest), this.#options));
    });
  }

  getMusicAnalyser(manifest: AnalysisManifest): Promise<MusicAnalyser> {
    return this.#get(manifest.id, async () => {
      return new MusicAnalyser(await GraphSession.load(this.#verify(manifest), this.#options));
    });
  }

  getVoiceSeparator(manifest: VoiceManifest): Promise<LoadedSeparator> {
    return this.#get(manifest.id, () => VoiceSeparator.load(this.#verify(manifest), this.#options));
  }

  async getSpeakerNetworks({ turns, embedding, xVector }: SpeakerManifests): Promise<SpeakerNetworks> {
    const load = async (manifest: Exclude<Manifest, SpeechManifest>) =>
      GraphSession.load(this.#verify(manifest), this.#options);
    return {
      turns: await this.#get(turns.id, async () => new SpeakerSegmentation(await load(turns))),
      speakers: await this.#get(embedding.id, async () => new SpeakerEmbedding(await load(embedding))),
      xVector: await this.#get(xVector.id, async () => new XVector(await load(xVector))),
    };
  }

  async #optionsFor(manifest: GpuManifest): Promise<SessionOptions & { cacheDir?: string }> {
    return { ...this.#options, executionProvider: (await this.#hooks.chooseProvider?.(manifest)) ?? "cpu" };
  }

  #verify({ id, weights }: Exclude<Manifest, SpeechManifest>): string {
    const { cacheDir } = this.#options;
    return getVerifiedWeightsPath(weights, {
      manifestId: id,
      ...(cacheDir === undefined ? {} : { cacheDir }),
    });
  }

  #get<Network>(id: string, load: () => Promise<Network>): Promise<Network> {
    const known = this.#loaded.get(id) as Promise<Network> | undefined;
    if (known) return known;
    const loading = Promise.resolve().then(load);
    this.#loaded.set(id, loading);
    // If loading failed, the next caller tries again.
    loading.catch(() => this.#loaded.delete(id));
    return loading;
  }
}
