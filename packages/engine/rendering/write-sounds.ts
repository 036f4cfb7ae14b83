import { checkFinite } from "../check-finite.ts";
import { interleave } from "../dsp/interleave.ts";
import { release } from "../dsp/release.ts";
import { type DecodedMedia, openEncoder, type PcmEncoder } from "../media/index.ts";
import type { SoundFile, SoundOutput, TargetResult } from "../targets/engine-request.ts";
import { toEngineError } from "../targets/to-engine-error.ts";
import { type Provenance, toProvenanceTags } from "./provenance.ts";

const BLOCK_FRAMES = 1 << 15;
/** Seconds to write a stem per second of stereo, like `passSeconds` of the networks. */
export const RENDER_SECONDS = 0.008;

export type RenderResult = Pick<TargetResult, "clippedSamples">;

/** One output, in all its formats. */
export type WrittenSound = { output: SoundOutput; files: readonly Omit<SoundFile, "output">[] };

export type SoundsWork = {
  sounds: readonly WrittenSound[];
  /** The planes of every output for the same frames; they are released afterwards. */
  readBlock: (startFrame: number, lengthFrames: number) => Float32Array[][];
  info: DecodedMedia;
  /** Silence before the first frame. */
  leadFrames: number;
  /** For the picture of a video. */
  inputPath: string;
  provenance: Provenance;
  onProgress: (fraction: number) => void;
};

/** Writes several outputs of the input's length, rate and channels in a single read, after the silence. */
export async function writeSounds(work: SoundsWork): Promise<RenderResult> {
  const encoders: PcmEncoder[] = [];
  try {
    for (const sound of work.sounds) encoders.push(await openSound(work, sound));
    await writeSilence(work, encoders);
    await writeBlocks(work, encoders);
    const clipped: [string, number][] = [];
    for (const [index, encoder] of encoders.entries()) {
      const { clippedSamples } = await encoder.finish();
      work.sounds[index]?.files.forEach(({ path }, file) => {
        clipped.push([path, clippedSamples[file] ?? 0]);
      });
    }
    const some = clipped.filter(([, samples]) => samples > 0);
    return some.length === 0 ? {} : { clippedSamples: Object.fromEntries(some) };
  } catch (error) {
    await Promise.allSettled(encoders.map((encoder) => encoder.abort()));
    throw toEngineError(error, "encoding");
  }
}

function openSound(
  { info, leadFrames, inputPath, provenance }: SoundsWork,
  { output, files }: WrittenSound,
): Promise<PcmEncoder> {
  const { sampleRateHz, channels, channelLayout, hasVideo } = info;
  return openEncoder({
    sampleRateHz,
    channels,
    channelLayout,
    files: [...files],
    tags: { ...info.tags, ...toProvenanceTags(provenance, output) },
    ...(hasVideo ? { pictureFrom: inputPath, leadSeconds: leadFrames / sampleRateHz } : {}),
  });
}

async function writeSilence(
  { info, leadFrames }: SoundsWork,
  encoders: readonly PcmEncoder[],
): Promise<void> {
  const block = new Float32Array(Math.min(leadFrames, BLOCK_FRAMES) * info.channels);
  for (let start = 0; start < leadFrames; start += BLOCK_FRAMES) {
    const count = Math.min(BLOCK_FRAMES, leadFrames - start);
    for (const encoder of encoders) await encoder.write(block.subarray(0, count * info.channels));
  }
}

async function writeBlocks(work: SoundsWork, encoders: readonly PcmEncoder[]): Promise<void> {
  const { lengthFrames } = work.info;
  for (let start = 0; start < lengthFrames; start += BLOCK_FRAMES) {
    const count = Math.min(BLOCK_FRAMES, lengthFrames - start);
    const sounds = work.readBlock(start, count);
    for (const [index, encoder] of encoders.entries()) {
      checkFinite(sounds[index] ?? []);
      const block = interleave(sounds[index] ?? []);
      await encoder.write(block);
      release([block, ...(sounds[index] ?? [])]);
    }
    work.onProgress((start + count) / lengthFrames);
  }
}
