const THRESHOLD_DB = -1;
const RATIO = 20;
/** Web Audio raises what a compressor returns by the reduction at full scale to the power of 0.6. */
const MAKEUP_DB = -0.6 * (THRESHOLD_DB - THRESHOLD_DB / RATIO);

/**
 * Connects a mix that may be louder than full scale: above −1 dBFS it is turned down, with 6 ms of look-ahead, instead of clipped. Below that it is
 * unchanged. Not a worklet, which browsers don't have on pages over plain http.
 */
export function connectLimited(from: AudioNode, to: AudioNode): void {
  const { context } = from;
  const limiter = context.createDynamicsCompressor();
  limiter.threshold.value = THRESHOLD_DB;
  limiter.knee.value = 0;
  limiter.ratio.value = RATIO;
  limiter.attack.value = 0.001;
  limiter.release.value = 0.1;
  const undo = context.createGain();
  undo.gain.value = 10 ** (-MAKEUP_DB / 20);
  // What rises faster than the limiter acts is clipped here, as a loudspeaker would.
  const clip = context.createWaveShaper();
  clip.curve = new Float32Array([-1, 0, 1]);
  from.connect(limiter).connect(undo).connect(clip).connect(to);
}
