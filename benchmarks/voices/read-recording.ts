import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deinterleaveInto } from "../../packages/engine/dsp/interleave.ts";
import { decodeToPcm } from "../../packages/engine/media/index.ts";

export type Recording = { planes: Float32Array[]; sampleRateHz: number };

/** A recording in any format the engine reads. */
export async function readRecording(inputPath: string): Promise<Recording> {
  const folder = mkdtempSync(join(tmpdir(), "stemwright-recording-"));
  try {
    const pcmPath = join(folder, "pcm");
    const { channels, sampleRateHz } = await decodeToPcm({ inputPath, pcmPath });
    const frames = new Float32Array(new Uint8Array(readFileSync(pcmPath)).buffer);
    const planes = Array.from({ length: channels }, () => new Float32Array(frames.length / channels));
    deinterleaveInto(planes, frames, 0);
    return { planes, sampleRateHz };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
