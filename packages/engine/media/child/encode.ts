import type { Readable } from "node:stream";
import { MediaError } from "../media-error.ts";
import type { EncodeRequest, EncodeResult } from "../media-request.ts";
import { parseLayout, toNamedLayout } from "./channel-layout.ts";
import { countFrames } from "./count-frames.ts";
import { OutputFile } from "./output-file.ts";
import { PictureSource } from "./picture-source.ts";
import type { Pulse } from "./pulse.ts";

/** Encoder delay, its padding and the resampler's edge, in blocks of the encoder. */
const LOSSY_SLACK_BLOCKS = 4;

type RunEncoding = (run: { pcm: Readable; pulse: Pulse; onReady: () => void }) => Promise<EncodeResult>;

/**
 * Opens every output at once and gives the work to be done afterwards, as another user; it ends in the number
 * of frames, and of samples cut off at full scale in each output.
 */
export function openEncoding(request: EncodeRequest): RunEncoding {
  const layout = parseLayout(request.channelLayout);
  if (layout?.nbChannels !== request.channels) {
    throw new MediaError(
      "encode-failed",
      `${request.channelLayout} is no layout of ${request.channels} channels.`,
    );
  }
  const input = { sampleRateHz: request.sampleRateHz, layout: toNamedLayout(layout) };
  const outputs = request.files.map((target) => new OutputFile(target, input));
  return async ({ pcm, pulse, onReady }) => {
    for (const output of outputs) {
      const { picture } = output.target;
      output.writeHeader(request.tags, picture && PictureSource.open(picture));
    }
    onReady();
    const lengthFrames = await encodeStream({ pcm, outputs, channels: request.channels });
    for (const output of outputs) {
      output.finish();
      await pulse();
    }
    for (const output of outputs)
      await verifyLength({ output, lengthFrames, sampleRateHz: request.sampleRateHz, pulse });
    return { lengthFrames, clippedSamples: outputs.map(({ clippedSamples }) => clippedSamples) };
  };
}

async function encodeStream(options: {
  pcm: Readable;
  outputs: OutputFile[];
  channels: number;
}): Promise<number> {
  const bytesPerFrame = options.channels * Float32Array.BYTES_PER_ELEMENT;
  let carry: Buffer = Buffer.alloc(0);
  let lengthFrames = 0;
  for await (const chunk of options.pcm) {
    const bytes = carry.length === 0 ? (chunk as Buffer) : Buffer.concat([carry, chunk as Buffer]);
    const frames = Math.floor(bytes.length / bytesPerFrame);
    carry = bytes.subarray(frames * bytesPerFrame);
    lengthFrames += frames;
    const samples = toFloats(bytes.subarray(0, frames * bytesPerFrame));
    for (const output of options.outputs) output.write(samples);
  }
  return lengthFrames;
}

/** A view where that can be: pooled buffers need not start on a multiple of four bytes. */
function toFloats(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
}

async function verifyLength(options: {
  output: OutputFile;
  lengthFrames: number;
  sampleRateHz: number;
  pulse: Pulse;
}): Promise<void> {
  const { output, lengthFrames, sampleRateHz, pulse } = options;
  if (lengthFrames === 0) return;
  const heldFrames = await countFrames(output.target.fd, pulse);
  const expectedFrames = (lengthFrames * output.sampleRateHz) / sampleRateHz;
  const slackFrames = output.encoding.isLossless ? 0 : LOSSY_SLACK_BLOCKS * output.frameSizeFrames;
  const isShort = heldFrames < (output.encoding.isLossless ? expectedFrames : Math.floor(expectedFrames));
  if (isShort || heldFrames > expectedFrames + slackFrames) {
    throw new MediaError(
      "encode-failed",
      `The ${output.target.format} file holds ${heldFrames} frames instead of ${expectedFrames}.`,
    );
  }
}
