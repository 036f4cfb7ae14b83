import { readSync } from "node:fs";
import { MediaError } from "../media-error.ts";
import type { EncodeRequest, EncodeResult } from "../media-request.ts";
import { parseLayout, toNamedLayout } from "./channel-layout.ts";
import { countFrames } from "./count-frames.ts";
import { FileEncoder } from "./file-encoder.ts";
import { PictureSource } from "./picture-source.ts";
import type { Pulse } from "./pulse.ts";

const PCM_FD = 0;
/** A multiple of a float, and more than a frame of any channel count. */
const PCM_CHUNK_BYTES = 1 << 16;

/** Encoder delay, its padding and the resampler's edge, in blocks of the encoder. */
const LOSSY_SLACK_BLOCKS = 4;

type RunEncoding = (run: { pulse: Pulse; onReady: () => void }) => Promise<EncodeResult>;

/**
 * Opens all outputs at once and returns the rest of the work, to be done as another user. It resolves with the number of frames and the clipped samples
 * of each output.
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
  const outputs = request.files.map((target) => new FileEncoder(target, input));
  return async ({ pulse, onReady }) => {
    for (const output of outputs) {
      const { picture } = output.target;
      output.writeHeader(request, picture && PictureSource.open(picture));
    }
    onReady();
    const lengthFrames = await encodeStream({ outputs, channels: request.channels, pulse });
    for (const output of outputs) {
      output.finish();
      await pulse();
    }
    for (const output of outputs)
      await verifyLength({ output, lengthFrames, sampleRateHz: request.sampleRateHz, pulse });
    return { lengthFrames, clippedSamples: outputs.map(({ clippedSamples }) => clippedSamples) };
  };
}

/** Reads synchronously, like everything in the sandboxed child (`parent-channel.ts`). */
async function encodeStream(options: {
  outputs: FileEncoder[];
  channels: number;
  pulse: Pulse;
}): Promise<number> {
  const bytesPerFrame = options.channels * Float32Array.BYTES_PER_ELEMENT;
  const chunk = Buffer.from(new ArrayBuffer(PCM_CHUNK_BYTES));
  let heldBytes = 0;
  let lengthFrames = 0;
  for (;;) {
    const readBytes = readSync(PCM_FD, chunk, { offset: heldBytes });
    if (readBytes === 0) return lengthFrames;
    heldBytes += readBytes;
    const frames = Math.floor(heldBytes / bytesPerFrame);
    lengthFrames += frames;
    const samples = new Float32Array(chunk.buffer, 0, frames * options.channels);
    for (const output of options.outputs) output.write(samples);
    chunk.copyWithin(0, frames * bytesPerFrame, heldBytes);
    heldBytes -= frames * bytesPerFrame;
    await options.pulse();
  }
}

async function verifyLength(options: {
  output: FileEncoder;
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
