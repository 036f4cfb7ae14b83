import { DIARIZE_SECONDS, findTurns } from "../diarization/find-turns.ts";
import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { MonoSource } from "../dsp/sources/mono-source.ts";
import type { Manifest, StemManifest } from "../manifests/manifest.ts";
import { findSpeech } from "../networks/silero-vad/find-speech.ts";
import { getVoiceActivity } from "../networks/silero-vad/get-voice-activity.ts";
import type { SileroVad } from "../networks/silero-vad/silero-vad.ts";
import type { SpeechNetworks } from "../networks/speech-networks.ts";
import type { StemNetworks } from "../networks/stem-network.ts";
import type { VoiceNetworks } from "../networks/voice-networks.ts";
import { VOICE_RATE_HZ } from "../networks/voices/voice-separator.ts";
import type { PreviewWriter } from "../previews/preview-writer.ts";
import { RENDER_SECONDS } from "../rendering/write-sounds.ts";
import { identifySource, openStem } from "../separation/pass-spools.ts";
import type { OpenInput } from "../targets/open-input.ts";
import type { VoicesPass } from "../targets/plan-targets.ts";
import type { MakeStage } from "../targets/stage-progress.ts";
import type { TargetOutcomes } from "../targets/target-outcomes.ts";
import { renderVoices } from "./render-voices.ts";
import { separateVoices } from "./separate-voices.ts";
import { getVariant, N_SPEAKERS } from "./voices-variant.ts";

const DIALOGUE = "dialogue";

export function weighVoicesPass({ manifest, targets }: VoicesPass): number {
  const variants = new Set(targets.map(getVariant));
  return variants.size * (DIARIZE_SECONDS + manifest.passSeconds) + targets.length * RENDER_SECONDS;
}

/** A stem needs this share of the input's speech to be read instead of it: singing is music to the network for dialogue. */
const MIN_SPEECH = 0.5;

/**
 * Finds who speaks when, separates speakers who talk at the same time, and writes each voice to its own files: voices of the input, or of its dialogue if
 * that is given.
 */
export async function runVoicesPass(
  run: {
    input: OpenInput;
    inputPath: string;
    workDir: string;
    networks: SpeechNetworks & VoiceNetworks & StemNetworks;
    previews: Pick<PreviewWriter, "follow"> | undefined;
    outcomes: TargetOutcomes;
    makeStage: MakeStage;
  },
  { manifest, targets: allTargets }: VoicesPass,
  { manifests, dialogue }: { manifests: readonly Manifest[]; dialogue: StemManifest | undefined },
): Promise<void> {
  const { input, networks, outcomes, makeStage } = run;
  using stem = dialogue && openStem(run, dialogue, DIALOGUE);
  for (const [variant, targets] of Map.groupBy(allTargets, getVariant)) {
    await outcomes.tryNetwork(targets, async () => {
      const vad = await networks.getVoiceActivity(getVoiceActivity(manifests));
      const readManifest =
        dialogue && stem && (await hasMostSpeech(stem, input.source, vad)) ? dialogue : undefined;
      const source = readManifest && stem ? toSampleRate(stem, input.info) : input.source;
      const turns = await findTurns(networks, toNetworkRate(source), {
        manifests,
        expected: variant === N_SPEAKERS ? {} : { voiceCount: "pair" },
        onProgress: makeStage(DIARIZE_SECONDS),
      });
      using separated = await separateVoices(run, {
        manifest,
        turns,
        variant,
        source,
        sourceId: identifySource(run, readManifest, DIALOGUE),
        onProgress: makeStage(manifest.passSeconds),
      });
      for (const target of targets) {
        const onProgress = makeStage(RENDER_SECONDS);
        await outcomes.finish(target, async () => {
          const { runsOn } = await networks.getVoiceSeparator(manifest);
          const provenance = {
            manifest: { ...manifest, chunking: { convention: "even" as const, overlapShare: 0.25 } },
            source: readManifest && {
              manifest: readManifest,
              stem: DIALOGUE,
              runsOn: (await networks.getNetwork(readManifest)).runsOn,
            },
            runsOn,
            passCount: 1,
          };
          return renderVoices(run, { target, source, separated, provenance, onProgress });
        });
      }
    });
  }
}

const toNetworkRate = (source: FrameSource) =>
  toSampleRate(new MonoSource(source), { sampleRateHz: VOICE_RATE_HZ, isForNetwork: true });

async function hasMostSpeech(stem: FrameSource, input: FrameSource, vad: SileroVad): Promise<boolean> {
  const count = async (source: FrameSource) => {
    const regions = await findSpeech(toNetworkRate(source), vad, () => {});
    return regions.reduce((sum, { startFrame, endFrame }) => sum + endFrame - startFrame, 0);
  };
  return (await count(stem)) >= MIN_SPEECH * (await count(input));
}
