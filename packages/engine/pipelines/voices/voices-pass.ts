import { MonoSource } from "../../dsp/mono-source.ts";
import { toSampleRate } from "../../dsp/resampled-source.ts";
import type { SpeechNetworks } from "../../networks/speech-networks.ts";
import type { VoiceNetworks } from "../../networks/voice-networks.ts";
import { SAMPLE_RATE_HZ } from "../../networks/voices/voice-separator.ts";
import type { Manifest } from "../../runtime/manifest.ts";
import type { OpenInput } from "../open-input.ts";
import type { VoicesPass } from "../plan-targets.ts";
import type { Previews } from "../previews/previews.ts";
import type { MakeStage } from "../stage-progress.ts";
import type { TargetOutcomes } from "../target-outcomes.ts";
import { RENDER_SECONDS } from "../write-sounds.ts";
import { LISTEN_SECONDS, listenForVoices } from "./listen-for-voices.ts";
import { renderVoices } from "./render-voices.ts";
import { separateVoices } from "./separate-voices.ts";
import { getVariant, N_SPEAKERS } from "./voices-variant.ts";

export function weighVoicesPass({ manifest, targets }: VoicesPass): number {
  const variants = new Set(targets.map(getVariant));
  return variants.size * (LISTEN_SECONDS + manifest.passSeconds) + targets.length * RENDER_SECONDS;
}

/** Finds who speaks when, separates people who talk at the same time, and writes each voice to its own files. */
export async function runVoicesPass(
  run: {
    input: OpenInput;
    inputPath: string;
    workDir: string;
    networks: SpeechNetworks & VoiceNetworks;
    previews: Pick<Previews, "follow"> | undefined;
    outcomes: TargetOutcomes;
    makeStage: MakeStage;
  },
  { manifest, targets: allTargets }: VoicesPass,
  manifests: readonly Manifest[],
): Promise<void> {
  const { input, networks, outcomes, makeStage } = run;
  for (const [variant, targets] of Map.groupBy(allTargets, getVariant)) {
    await outcomes.tryNetwork(targets, async () => {
      const recording = toSampleRate(new MonoSource(input.source), {
        sampleRateHz: SAMPLE_RATE_HZ,
        isForListening: true,
      });
      const turns = await listenForVoices(networks, recording, {
        manifests,
        expected: variant === N_SPEAKERS ? {} : { voiceCount: "pair" },
        onProgress: makeStage(LISTEN_SECONDS),
      });
      using separated = await separateVoices(run, {
        manifest,
        turns,
        variant,
        onProgress: makeStage(manifest.passSeconds),
      });
      for (const target of targets) {
        const onProgress = makeStage(RENDER_SECONDS);
        await outcomes.finish(target, async () => {
          const { runsOn } = await networks.getVoiceSeparator(manifest);
          const provenance = {
            manifest: { ...manifest, overlapShare: 0.25 },
            heard: undefined,
            runsOn,
            passCount: 1,
          };
          return renderVoices(run, { target, separated, provenance, onProgress });
        });
      }
    });
  }
}
