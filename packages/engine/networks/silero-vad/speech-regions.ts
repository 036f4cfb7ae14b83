/** Frames that contain speech. */
export type SpeechRegion = { startFrame: number; endFrame: number };

export type RegionRules = {
  /** Speech starts at this probability and ends when it stays below `leave`. */
  enter: number;
  leave: number;
  /** Shorter pauses do not end a region. */
  pauseBlocks: number;
  /** Shorter regions are dropped. */
  leastBlocks: number;
  blockFrames: number;
};

/** Turns the probabilities of successive blocks into regions, with hysteresis. */
export function findSpeechRegions(probabilities: ArrayLike<number>, rules: RegionRules): SpeechRegion[] {
  const regions: SpeechRegion[] = [];
  let startBlock = -1;
  let quietBlocks = 0;
  const close = (endBlock: number) => {
    if (endBlock - startBlock >= rules.leastBlocks) {
      regions.push({ startFrame: startBlock * rules.blockFrames, endFrame: endBlock * rules.blockFrames });
    }
    startBlock = -1;
    quietBlocks = 0;
  };
  for (let block = 0; block < probabilities.length; block++) {
    const probability = probabilities[block] ?? 0;
    if (startBlock < 0) {
      if (probability >= rules.enter) startBlock = block;
      continue;
    }
    quietBlocks = probability < rules.leave ? quietBlocks + 1 : 0;
    if (quietBlocks > rules.pauseBlocks) close(block + 1 - quietBlocks);
  }
  if (startBlock >= 0) close(probabilities.length - quietBlocks);
  return regions;
}
