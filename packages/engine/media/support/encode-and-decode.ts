import { readFile } from "node:fs/promises";
import { type DecodedMedia, decodeToPcm } from "../decode-to-pcm.ts";
import { type EncoderOptions, openEncoder } from "../open-encoder.ts";
import type { Signal } from "./signals.ts";

const LAYOUTS: Readonly<Record<number, string>> = { 1: "mono", 2: "stereo", 6: "5.1(side)", 8: "7.1" };

export async function encodeSignal(
  signal: Signal,
  options: Pick<EncoderOptions, "files"> & Partial<EncoderOptions> & { blockSamples?: number },
): Promise<void> {
  const { sampleRateHz, channels, samples } = signal;
  const { blockSamples = samples.length || 1, ...rest } = options;
  const channelLayout = LAYOUTS[channels] ?? `${channels} channels`;
  const encoder = await openEncoder({ sampleRateHz, channels, channelLayout, ...rest });
  for (let at = 0; at < samples.length; at += blockSamples) {
    await encoder.write(samples.subarray(at, at + blockSamples));
  }
  await encoder.finish();
}

export async function decodeSignal(
  inputPath: string,
  range?: { startSeconds: number; endSeconds: number },
): Promise<DecodedMedia & Signal> {
  const pcmPath = `${inputPath}.pcm`;
  const media = await decodeToPcm({ inputPath, pcmPath, ...(range ? { range } : {}) });
  return { ...media, samples: await readPcm(pcmPath) };
}

async function readPcm(path: string): Promise<Float32Array> {
  return new Float32Array(new Uint8Array(await readFile(path)).buffer);
}
