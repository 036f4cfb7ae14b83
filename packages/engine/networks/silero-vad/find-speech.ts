import type { FrameSource } from "../../dsp/sources/frame-source.ts";
import { BLOCK_FRAMES, type SileroVad } from "./silero-vad.ts";
import { findSpeechRegions, type SpeechRegion } from "./speech-regions.ts";

const READ_BLOCKS = 1 << 10;
/** In blocks of 32 ms: pauses under a quarter of a second don't split speech, and shorter sounds don't count as speech. */
const RULES = { enter: 0.5, leave: 0.35, pauseBlocks: 8, leastBlocks: 7, blockFrames: BLOCK_FRAMES };

/** Where somebody speaks in a mono source at 16 kHz. */
export async function findSpeech(
  source: FrameSource,
  vad: SileroVad,
  onProgress: (fraction: number) => void,
): Promise<SpeechRegion[]> {
  const score = vad.makeScorer();
  const probabilities = new Float32Array(Math.ceil(source.lengthFrames / BLOCK_FRAMES));
  for (let block = 0; block < probabilities.length; block += READ_BLOCKS) {
    const [samples = new Float32Array()] = source.read(block * BLOCK_FRAMES, READ_BLOCKS * BLOCK_FRAMES);
    for (let n = 0; n < READ_BLOCKS && block + n < probabilities.length; n++) {
      probabilities[block + n] = await score(samples.subarray(n * BLOCK_FRAMES, (n + 1) * BLOCK_FRAMES));
    }
    onProgress(Math.min(1, (block + READ_BLOCKS) / probabilities.length));
  }
  return findSpeechRegions(probabilities, RULES).map(({ startFrame, endFrame }) => ({
    startFrame,
    endFrame: Math.min(endFrame, source.lengthFrames),
  }));
}
