/** Above this the video jumps; below, it plays imperceptibly faster or slower. */
const JUMP_SECONDS = 0.3;
/** Less than a frame of film. */
const IN_SYNC_SECONDS = 0.015;
const MAX_RATE = 0.08;

export type DriftCorrection = { seekSeconds?: number; playbackRate: number };

/** How video, which has its own clock, gets back in sync with the audio. */
export function correctDrift(pictureSeconds: number, soundSeconds: number): DriftCorrection {
  const drift = pictureSeconds - soundSeconds;
  if (Math.abs(drift) > JUMP_SECONDS) return { seekSeconds: soundSeconds, playbackRate: 1 };
  if (Math.abs(drift) < IN_SYNC_SECONDS) return { playbackRate: 1 };
  // Corrected within a second or so.
  return { playbackRate: 1 - Math.max(-MAX_RATE, Math.min(MAX_RATE, drift)) };
}
