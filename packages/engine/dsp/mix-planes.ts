/**
 * Mixes more than two channels to stereo the way mixing consoles pair them: odd ones left, even ones right, an unpaired last one to both sides. Each
 * side is a mean, so nothing gets louder. One or two channels are returned unchanged.
 */
export function mixToTwoPlanes(planes: readonly Float32Array[]): readonly Float32Array[] {
  if (planes.length <= 2) return planes;
  const gain = 1 / Math.ceil(planes.length / 2);
  const lengthFrames = planes[0]!.length;
  return [0, 1].map((side) => {
    const mixed = new Float32Array(lengthFrames);
    for (let channel = 0; channel < planes.length; channel += 2) {
      const plane = planes[channel + side] ?? planes[channel]!;
      for (let n = 0; n < lengthFrames; n++) mixed[n]! += gain * plane[n]!;
    }
    return mixed;
  });
}
