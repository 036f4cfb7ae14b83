import type { FrameSource } from "../../dsp/frame-source.ts";
import { EngineError } from "../../engine-error.ts";
import type { SpeechNetworks } from "../../networks/speech-networks.ts";
import type { VoiceNetworks } from "../../networks/voice-networks.ts";
import { type ExpectedVoices, findVoices, type Turns } from "../../networks/voices/find-voices.ts";
import { findFamily, type Manifest, type SpeakerManifest } from "../../runtime/manifest.ts";
import { findSpeech } from "../speech/find-speech.ts";
import { getVoiceActivity } from "../speech/get-voice-activity.ts";

/** Measured seconds of work for each second of input; for the progress only. */
export const LISTEN_SECONDS = 0.03;

export function getSpeakerNetwork(manifests: readonly Manifest[]): SpeakerManifest {
  const manifest = findFamily(manifests, "x-vector");
  if (manifest === undefined)
    throw new EngineError("network-missing", "The network for speakers is missing.");
  return manifest;
}

type ListeningNetworks = Pick<SpeechNetworks, "getVoiceActivity"> & Pick<VoiceNetworks, "getSpeakerNetwork">;

/** Who speaks when in a mono recording at 16 kHz, one at a time. */
export async function listenForVoices(
  networks: ListeningNetworks,
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
  const network = await networks.getSpeakerNetwork(getSpeakerNetwork(manifests));
  return findVoices(recording, speech, {
    network,
    expected,
    onProgress: (fraction) => onProgress((1 + 2 * fraction) / 3),
  });
}
