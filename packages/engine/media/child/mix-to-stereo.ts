/**
 * Mixes channels without a layout to stereo the way mixing consoles pair them: odd ones left, even ones right, an unpaired last one to both sides. Each
 * side is a mean, so nothing gets louder.
 */
export function mixToStereo(samples: Float32Array, channels: number): Float32Array {
  const frames = samples.length / channels;
  const mixed = new Float32Array(frames * 2);
  const gain = 1 / Math.ceil(channels / 2);
  for (let frame = 0; frame < frames; frame++) {
    let [left, right] = [0, 0];
    for (let channel = 0; channel < channels; channel += 2) {
      const value = samples[frame * channels + channel] ?? 0;
      left += value;
      right += channel + 1 < channels ? (samples[frame * channels + channel + 1] ?? 0) : value;
    }
    mixed[frame * 2] = left * gain;
    mixed[frame * 2 + 1] = right * gain;
  }
  return mixed;
}
