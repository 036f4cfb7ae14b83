export function interleave(planes: Float32Array[]): Float32Array {
  const channels = planes.length;
  const lengthFrames = planes[0]?.length ?? 0;
  const frames = new Float32Array(channels * lengthFrames);
  for (let channel = 0; channel < channels; channel++) {
    const plane = planes[channel]!;
    for (let n = 0, at = channel; n < lengthFrames; n++, at += channels) frames[at] = plane[n]!;
  }
  return frames;
}

/** Copies interleaved `frames` into `planes`, starting at `startFrame` of the planes. */
export function deinterleaveInto(planes: Float32Array[], frames: Float32Array, startFrame: number): void {
  const channels = planes.length;
  const lengthFrames = Math.floor(frames.length / channels);
  for (let channel = 0; channel < channels; channel++) {
    const plane = planes[channel]!;
    for (let n = 0, at = channel; n < lengthFrames; n++, at += channels) plane[startFrame + n] = frames[at]!;
  }
}
