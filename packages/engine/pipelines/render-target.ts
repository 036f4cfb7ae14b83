import { DifferenceSource, subtractPlanes } from "../dsp/difference-source.ts";
import type { FrameSource } from "../dsp/frame-source.ts";
import { interleave } from "../dsp/interleave.ts";
import { release } from "../dsp/release.ts";
import { type DecodedMedia, openEncoder, type PcmEncoder } from "../media/index.ts";
import type { StemService } from "../runtime/model-manifest.ts";
import type { SoundFile, SoundTarget, TargetResult } from "./engine-request.ts";
import { type Provenance, toProvenanceTags } from "./provenance.ts";
import { toEngineError } from "./to-engine-error.ts";

const BLOCK_FRAMES = 1 << 15;

export type RenderWork = {
  target: SoundTarget;
  /** The target's sound and the input, both at the input's rate, channels and length. */
  stem: FrameSource;
  input: FrameSource;
  info: DecodedMedia;
  /** For the picture of a video. */
  inputPath: string;
  provenance: Provenance;
  onProgress: (fraction: number) => void;
};

export type RenderResult = Pick<TargetResult, "clippedSamples">;

/**
 * The sound of a service from the stem it is made of and from what the network heard, both at the input's rate already. The input without
 * the vocals is better than drums + bass + other: 13.32 against 13.27 dB SDR on 30 s of a MUSDB test track,
 * 11.21 against 11.13 dB on another; and it keeps what the network's rate cannot hold.
 */
export function toServiceSource(service: StemService, stem: FrameSource, heard: FrameSource): FrameSource {
  return service.without === undefined ? stem : new DifferenceSource(heard, stem);
}

/**
 * Writes all files of one target in a single reading. The residual is the input minus the stem as floats at the
 * input's own rate, so the two add up to the input, with everything above the network's band in the residual.
 */
export async function renderTarget(work: RenderWork): Promise<RenderResult> {
  const encoders: Partial<Record<SoundFile["output"], PcmEncoder>> = {};
  try {
    for (const output of ["stem", "residual"] as const) {
      const encoder = await openOutput(work, output);
      if (encoder !== undefined) encoders[output] = encoder;
    }
    await writeBlocks(work, encoders);
    return toResult([
      ...(await finishOutput(work, "stem", encoders.stem)),
      ...(await finishOutput(work, "residual", encoders.residual)),
    ]);
  } catch (error) {
    await Promise.allSettled(Object.values(encoders).map((encoder) => encoder.abort()));
    throw toEngineError(error, "encoding");
  }
}

type Clipped = { path: string; samples: number };

async function finishOutput(
  work: RenderWork,
  output: SoundFile["output"],
  encoder: PcmEncoder | undefined,
): Promise<Clipped[]> {
  if (encoder === undefined) return [];
  const { clippedSamples } = await encoder.finish();
  return listFiles(work, output).map(({ path }, index) => ({ path, samples: clippedSamples[index] ?? 0 }));
}

function toResult(files: readonly Clipped[]): RenderResult {
  const clipped = files.filter(({ samples }) => samples > 0);
  if (clipped.length === 0) return {};
  return { clippedSamples: Object.fromEntries(clipped.map(({ path, samples }) => [path, samples])) };
}

const listFiles = ({ target }: RenderWork, output: SoundFile["output"]) =>
  target.files.filter((file) => file.output === output);

async function openOutput(work: RenderWork, output: SoundFile["output"]): Promise<PcmEncoder | undefined> {
  const files = listFiles(work, output);
  if (files.length === 0) return undefined;
  const { sampleRateHz, channels, channelLayout, hasVideo } = work.info;
  return openEncoder({
    sampleRateHz,
    channels,
    channelLayout,
    files: files.map(({ output: _, ...file }) => file),
    tags: { ...work.info.tags, ...toProvenanceTags(work.provenance, output) },
    ...(hasVideo ? { pictureFrom: work.inputPath } : {}),
  });
}

async function writeBlock(encoder: PcmEncoder, planes: Float32Array[]): Promise<void> {
  const block = interleave(planes);
  await encoder.write(block);
  release([block]);
}

async function writeBlocks(
  work: RenderWork,
  encoders: Partial<Record<SoundFile["output"], PcmEncoder>>,
): Promise<void> {
  const { stem, input } = work;
  for (let start = 0; start < input.lengthFrames; start += BLOCK_FRAMES) {
    const lengthFrames = Math.min(BLOCK_FRAMES, input.lengthFrames - start);
    const planes = stem.read(start, lengthFrames);
    if (encoders.stem !== undefined) await writeBlock(encoders.stem, planes);
    if (encoders.residual !== undefined) {
      const whole = input.read(start, lengthFrames);
      const residual = subtractPlanes(whole, planes);
      await writeBlock(encoders.residual, residual);
      release([...whole, ...residual]);
    }
    release(planes);
    work.onProgress((start + lengthFrames) / input.lengthFrames);
  }
}
