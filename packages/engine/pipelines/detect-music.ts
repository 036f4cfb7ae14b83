import { join } from "node:path";
import { toWrittenSeconds } from "../dsp/frame-source.ts";
import { MonoSource } from "../dsp/mono-source.ts";
import { toSampleRate } from "../dsp/resampled-source.ts";
import { countSteps, SAMPLE_RATE_HZ, STEP_FRAMES } from "../networks/music-detector/music-detector.ts";
import { type MusicRegion, toMusicRegions } from "../networks/music-detector/music-regions.ts";
import type { MusicManifest } from "../runtime/manifest.ts";
import type { InputRun } from "./input-run.ts";
import { PcmFileSource } from "./pcm-file-source.ts";
import { prepareSpoolFolder } from "./spool-folder.ts";
import { StemSpool } from "./stem-spool.ts";

/** Raised whenever the same input and weights would give other numbers. */
const SPOOL_VERSION = 1;
/** Half a minute: longer stretches cost less context and more memory, and what a killed run loses is one of them. */
const STRETCH_STEPS = 320;

/**
 * Where in the input there is music. The probabilities are spooled stretch by stretch: a run that was killed goes on behind them, and
 * whoever asks again for the same input gets the answer from them.
 */
export async function detectMusic(
  run: InputRun,
  manifest: MusicManifest,
  onProgress: (fraction: number) => void,
): Promise<MusicRegion[]> {
  const detector = await run.networks.getMusicDetector(manifest);
  const folder = join(run.request.workDir, manifest.id);
  const recording = toSampleRate(new MonoSource(run.input), {
    sampleRateHz: SAMPLE_RATE_HZ,
    isForListening: true,
  });
  const stepCount = countSteps(recording.lengthFrames);
  prepareSpoolFolder(folder, {
    version: SPOOL_VERSION,
    weightsSha256: manifest.weights.sha256,
    inputSha256: run.decoded.sha256,
    stepCount,
  });
  const path = join(folder, "music.f32");
  {
    using spool = new StemSpool(path, 1);
    // A killed write may have left a part of a number.
    spool.truncate(spool.lengthFrames);
    onProgress(spool.lengthFrames / stepCount);
    for (let firstStep = spool.lengthFrames; firstStep < stepCount; firstStep = spool.lengthFrames) {
      const stretch = { firstStep, stepCount: Math.min(STRETCH_STEPS, stepCount - firstStep) };
      spool.append([await detector.listen(recording, stretch)]);
      onProgress(spool.lengthFrames / stepCount);
    }
  }
  onProgress(1);
  const shape = { channels: 1, sampleRateHz: SAMPLE_RATE_HZ / STEP_FRAMES, lengthFrames: stepCount };
  using probabilities = new PcmFileSource(path, shape);
  const [steps = new Float32Array()] = probabilities.read(0, stepCount);
  return toMusicRegions(steps, {
    stepSeconds: STEP_FRAMES / SAMPLE_RATE_HZ,
    durationSeconds: toWrittenSeconds(run.input),
  });
}
