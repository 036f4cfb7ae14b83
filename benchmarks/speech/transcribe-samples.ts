import { createHash } from "node:crypto";
import { ArraySource } from "../../packages/engine/dsp/sources/array-source.ts";
import type { Manifest, SpeechManifest } from "../../packages/engine/manifests/manifest.ts";
import type { NetworkStore } from "../../packages/engine/networks/network-store.ts";
import { getVoiceActivity } from "../../packages/engine/networks/silero-vad/get-voice-activity.ts";
import { SPEECH_RATE_HZ } from "../../packages/engine/networks/whisper/log-mel.ts";
import type { TimedText } from "../../packages/engine/text/timed-text.ts";
import type { NoiseHalver } from "../../packages/engine/transcription/halve-noise.ts";
import { transcribe } from "../../packages/engine/transcription/transcribe.ts";

export function findWhisper(manifests: readonly Manifest[]): SpeechManifest {
  const found = manifests.find((manifest) => manifest.family === "whisper");
  if (found === undefined) throw new Error("the speech network is missing");
  return found;
}

/** What the engine recognises in mono samples at 16 kHz. */
export function transcribeSamples(
  samples: Float32Array,
  options: {
    networks: NetworkStore;
    manifests: readonly Manifest[];
    workDir: string;
    language: string;
    noiseHalver?: NoiseHalver | undefined;
  },
): Promise<TimedText> {
  const { networks, manifests, workDir, language, noiseHalver } = options;
  const source = new ArraySource([samples], SPEECH_RATE_HZ);
  const sha256 = createHash("sha256").update(samples).digest("hex");
  return transcribe(
    { input: { source, sha256 }, workDir, networks, makeStage: () => () => {} },
    {
      manifest: findWhisper(manifests),
      voiceActivity: getVoiceActivity(manifests),
      source,
      sourceName: noiseHalver ? "through-noise" : "once",
      sourceId: sha256,
      options: { language },
      noiseHalver,
    },
  );
}
