import { NetworkSession } from "../../../runtime/network-session.ts";
import { WindowSpectrum } from "../window-spectrum.ts";

/** Runs the exported graph of a weights file on a mono window, as its model card describes. */
export async function separateByOriginal(
  weightsPath: string,
  window: Float32Array,
  { stemCount, transform }: { stemCount: number; transform: { fftSize: number; hopFrames: number } },
): Promise<Float32Array[]> {
  const spectrum = new WindowSpectrum(window.length, transform);
  const { slotCount, binCount } = spectrum;
  const size = slotCount * binCount;
  const planes = (data: Float32Array, row: number) => ({
    re: data.subarray(2 * row * size, (2 * row + 1) * size),
    im: data.subarray((2 * row + 1) * size, (2 * row + 2) * size),
  });
  const session = await NetworkSession.load(weightsPath, { threads: 2 });
  const input = session.getInput(0, [1, 2, slotCount, binCount]).data;
  const output = session.getOutput(0, [1, stemCount, 2, slotCount, binCount]).data;
  spectrum.analyse(window, planes(input, 0));
  await session.run();
  return Array.from({ length: stemCount }, (_, stem) => spectrum.synthesise(planes(output, stem)));
}
