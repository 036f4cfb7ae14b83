import { join } from "node:path";
import { checkFinite } from "../check-finite.ts";
import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import { toWrittenSeconds } from "../dsp/sources/frame-source.ts";
import { MonoSource } from "../dsp/sources/mono-source.ts";
import { PcmFileSource } from "../files/pcm-file-source.ts";
import { prepareSpoolFolder } from "../files/spool-folder.ts";
import type { MusicManifest } from "../manifests/manifest.ts";
import { countSteps, MUSIC_RATE_HZ, STEP_FRAMES } from "../networks/music-detector/music-detector.ts";
import { type MusicRegion, toMusicRegions } from "../networks/music-detector/music-regions.ts";
import type { MusicNetworks } from "../networks/music-networks.ts";
import { StemSpool } from "../separation/stem-spool.ts";
import type { OpenInput } from "../targets/open-input.ts";

/** Increase when the same input and weights would give different numbers. */
const SPOOL_VERSION = 2;
/** Measured seconds of work for each second of input; for the progress only. */
export const DETECT_SECONDS = 0.01;
/** Half a minute: longer chunks need less context in total but more memory, and a killed run loses one chunk. */
const CHUNK_STEPS = 320;

/** What detecting music needs. */
export type DetectionRun = { input: OpenInput; workDir: string; networks: MusicNetworks };

/**
 * The regions of the input that contain music. Probabilities are spooled chunk by chunk, so a killed run resumes after the last
 * chunk, and a second call for the same input only reads them.
 */
export async function detectMusic(
  manifest: MusicManifest,
  options: DetectionRun & { onProgress: (fraction: number) => void },
): Promise<MusicRegion[]> {
  const { input, workDir, networks, onProgress } = options;
  const detector = await networks.getMusicDetector(manifest);
  const folder = join(workDir, manifest.id);
  const recording = toSampleRate(new MonoSource(input.source), {
    sampleRateHz: MUSIC_RATE_HZ,
    isForNetwork: true,
  });
  const stepCount = countSteps(recording.lengthFrames);
  prepareSpoolFolder(folder, {
    version: SPOOL_VERSION,
    weightsSha256: manifest.weights.sha256,
    inputSha256: input.sha256,
    stepCount,
  });
  const path = join(folder, "music.f32");
  {
    using spool = new StemSpool(path, 1);
    // A killed write may have left part of a number.
    spool.truncate(spool.lengthFrames);
    onProgress(spool.lengthFrames / stepCount);
    for (let firstStep = spool.lengthFrames; firstStep < stepCount; firstStep = spool.lengthFrames) {
      const chunk = { firstStep, stepCount: Math.min(CHUNK_STEPS, stepCount - firstStep) };
      const probabilities = await detector.infer(recording, chunk);
      checkFinite([probabilities]);
      spool.append([probabilities]);
      onProgress(spool.lengthFrames / stepCount);
    }
  }
  onProgress(1);
  const shape = { channels: 1, sampleRateHz: MUSIC_RATE_HZ / STEP_FRAMES, lengthFrames: stepCount };
  using probabilities = new PcmFileSource(path, shape);
  const [steps = new Float32Array()] = probabilities.read(0, stepCount);
  return toMusicRegions(steps, {
    stepSeconds: STEP_FRAMES / MUSIC_RATE_HZ,
    durationSeconds: toWrittenSeconds(input.source),
  });
}
