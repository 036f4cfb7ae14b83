import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { EngineError } from "../engine-error.ts";
import { findSpeakerNetworks, type Manifest, type SpeakerManifests } from "../manifests/manifest.ts";
import { findSpeech } from "../networks/silero-vad/find-speech.ts";
import { getVoiceActivity } from "../networks/silero-vad/get-voice-activity.ts";
import type { SpeechNetworks } from "../networks/speech-networks.ts";
import type { VoiceNetworks } from "../networks/voice-networks.ts";
import type { ExpectedVoices } from "./cluster-embeddings.ts";
import { diarize } from "./diarize.ts";
import type { Turns } from "./turns.ts";

/** Measured seconds of work for each second of input; for the progress only. */
export const DIARIZE_SECONDS = 0.03;

function getSpeakerNetworks(manifests: readonly Manifest[]): SpeakerManifests {
  const networks = findSpeakerNetworks(manifests);
  if (networks === undefined)
    throw new EngineError("network-missing", "The networks for speakers are missing.");
  return networks;
}

type DiarizationNetworks = Pick<SpeechNetworks, "getVoiceActivity"> &
  Pick<VoiceNetworks, "getSpeakerNetworks">;

/** Who speaks when in a mono recording at 16 kHz. */
export async function findTurns(
  networks: DiarizationNetworks,
  recording: FrameSource,
  options: {
    manifests: readonly Manifest[];
    expected: ExpectedVoices;
    onProgress: (fraction: number) => void;
  },
): Promise<Turns> {
  const { manifests, expected, onProgress } = options;
  const vad = await networks.getVoiceActivity(getVoiceActivity(manifests));
  const speech = await findSpeech(recording, vad, (fraction) => onProgress(fraction / 3));
  return diarize(recording, speech, {
    networks: await networks.getSpeakerNetworks(getSpeakerNetworks(manifests)),
    expected,
    onProgress: (fraction) => onProgress((1 + 2 * fraction) / 3),
  });
}
