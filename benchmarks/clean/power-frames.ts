import { RealFft } from "../../packages/engine/dsp/transforms/real-fft.ts";

type FrameShape = { frame: number; hop: number; fftSize: number };

/** Power spectra, `fftSize / 2 + 1` bins each, of Hann windows (without their zeros) that overlap by half. */
export function listPowerFrames(samples: Float32Array, { frame, hop, fftSize }: FrameShape): Float64Array[] {
  const fft = new RealFft(fftSize);
  const window = Float64Array.from(
    { length: frame },
    (_, n) => Math.sin((Math.PI * (n + 1)) / (frame + 1)) ** 2,
  );
  const frames: Float64Array[] = [];
  for (let start = 0; start + frame <= samples.length; start += hop) {
    const signal = fft.signal;
    signal.fill(0);
    for (let n = 0; n < frame; n++) signal[n] = window[n]! * samples[start + n]!;
    fft.forward();
    frames.push(toPower(fft.spectrum));
  }
  return frames;
}

function toPower(spectrum: Float32Array): Float64Array {
  const half = spectrum.length / 2;
  const power = new Float64Array(half + 1);
  power[0] = spectrum[0]! ** 2;
  power[half] = spectrum[1]! ** 2;
  for (let bin = 1; bin < half; bin++) power[bin] = spectrum[2 * bin]! ** 2 + spectrum[2 * bin + 1]! ** 2;
  return power;
}
