import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeToPcm, type MediaInfo } from "../../packages/engine/media/index.ts";

export type DecodedFile = MediaInfo & { lengthFrames: number; samples: Float32Array };

/** Downloads and decodes a link. */
export async function decodeLink(link: string): Promise<DecodedFile> {
  const response = await fetch(link);
  if (!response.ok) throw new Error(`${link}: ${response.status}`);
  return await decodeBytes(new Uint8Array(await response.arrayBuffer()));
}

export async function decodeBytes(bytes: Uint8Array): Promise<DecodedFile> {
  const folder = await mkdtemp(join(tmpdir(), "stemwright-decode-"));
  try {
    const inputPath = join(folder, "input");
    const pcmPath = join(folder, "pcm");
    await writeFile(inputPath, bytes);
    const info = await decodeToPcm({ inputPath, pcmPath });
    const pcm = await readFile(pcmPath);
    return { ...info, samples: new Float32Array(pcm.buffer, pcm.byteOffset, pcm.byteLength / 4) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Signal-to-distortion ratio in dB: the reference's energy over that of the difference. */
export function measureSdrDb(reference: ArrayLike<number>, estimate: ArrayLike<number>): number {
  let signal = 0;
  let distortion = 0;
  for (let i = 0; i < reference.length; i += 1) {
    const wanted = reference[i] ?? 0;
    signal += wanted ** 2;
    distortion += (wanted - (estimate[i] ?? 0)) ** 2;
  }
  return 10 * Math.log10(signal / distortion);
}

/** The peak sample, in dBFS. */
export function measurePeakDbfs(samples: ArrayLike<number>): number {
  let peak = 0;
  for (let i = 0; i < samples.length; i += 1) peak = Math.max(peak, Math.abs(samples[i] ?? 0));
  return 20 * Math.log10(peak);
}
