import type { SessionOptions } from "../runtime/create-session.ts";
import { GraphSession } from "../runtime/graph-session.ts";
import type {
  ModelManifest,
  MusicManifest,
  SpeakerManifest,
  SpeechManifest,
  StemManifest,
  VoiceActivityManifest,
  VoiceManifest,
} from "../runtime/model-manifest.ts";
import { getVerifiedWeightsPath } from "../runtime/weights-file.ts";
import { BandSplit } from "./band-split/band-split.ts";
import { Htdemucs } from "./htdemucs/htdemucs.ts";
import { MusicDetector } from "./music-detector/music-detector.ts";
import type { MusicNetworks } from "./music-networks.ts";
import { SileroVad } from "./silero-vad/silero-vad.ts";
import type { SpeechNetworks } from "./speech-networks.ts";
import type { LoadedNetwork, NetworkSource } from "./stem-network.ts";
import type { VoiceNetworks } from "./voice-networks.ts";
import { type LoadedSeparator, VoiceSeparator } from "./voices/voice-separator.ts";
import { loadWhisper } from "./whisper/load-whisper.ts";
import type { Whisper } from "./whisper/whisper.ts";
import { XVector } from "./x-vector/x-vector.ts";

const FAMILIES = { htdemucs: Htdemucs, "band-split": BandSplit } as const;

type StoreOptions = SessionOptions & { cacheDir?: string };

/** Networks loaded so far, kept for the next request: loading htdemucs takes about a second. */
export class NetworkStore implements NetworkSource, SpeechNetworks, MusicNetworks, VoiceNetworks {
  readonly #options: StoreOptions;
  readonly #loaded = new Map<string, Promise<unknown>>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  getNetwork(manifest: StemManifest): Promise<LoadedNetwork> {
    return this.#get(manifest.id, () =>
      FAMILIES[manifest.family].load(this.#verify(manifest), manifest, this.#options),
    );
  }

  /** For small networks, which a GPU is no faster with. */
  get #onCpu(): SessionOptions {
    return { ...this.#options, executionProvider: "cpu" };
  }

  getWhisper(manifest: SpeechManifest): Promise<Whisper> {
    return this.#get(manifest.id, () => loadWhisper(manifest, this.#options));
  }

  getVoiceActivity(manifest: VoiceActivityManifest): Promise<SileroVad> {
    return this.#get(manifest.id, async () => {
      // A block takes a tenth of a millisecond: waking a second thread costs more.
      return new SileroVad(await GraphSession.load(this.#verify(manifest), { threads: 1 }));
    });
  }

  getMusicDetector(manifest: MusicManifest): Promise<MusicDetector> {
    return this.#get(manifest.id, async () => {
      return new MusicDetector(await GraphSession.load(this.#verify(manifest), this.#onCpu));
    });
  }

  getVoiceSeparator(manifest: VoiceManifest): Promise<LoadedSeparator> {
    return this.#get(manifest.id, () => VoiceSeparator.load(this.#verify(manifest), this.#options));
  }

  getSpeakerNetwork(manifest: SpeakerManifest): Promise<XVector> {
    return this.#get(manifest.id, async () => {
      return new XVector(await GraphSession.load(this.#verify(manifest), this.#onCpu));
    });
  }

  #verify({ id, weights }: Exclude<ModelManifest, SpeechManifest>): string {
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
    // One that could not be loaded is tried again by whoever asks next.
    loading.catch(() => this.#loaded.delete(id));
    return loading;
  }
}
