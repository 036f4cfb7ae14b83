import { AV_SAMPLE_FMT_FLT, type AVSampleFormat } from "node-av/constants";
import { type ChannelLayout, type Frame, SoftwareResampleContext } from "node-av/lib";
import { describeLayout, toNamedLayout } from "./channel-layout.ts";
import { checkFfmpeg } from "./check-ffmpeg.ts";

type Target = { sampleRateHz: number; layout: ChannelLayout };

/**
 * Turns decoded frames into interleaved f32le of one rate and layout, those of the first frame. swresample
 * scales integers by an exact power of two (16-bit by 1/32768) and does not clip floats. What is no finite number becomes silence.
 */
export class PcmConverter {
  readonly target: Target;
  #resampler: SoftwareResampleContext | undefined;
  #sourceKey = "";
  /** For the next frame too: over hours as many as there are frames would add up faster than they are collected. */
  #output = Buffer.alloc(0);

  constructor(first: Frame) {
    this.target = { sampleRateHz: first.sampleRate, layout: toNamedLayout(first.channelLayout) };
  }

  get bytesPerFrame(): number {
    return this.target.layout.nbChannels * Float32Array.BYTES_PER_ELEMENT;
  }

  /** What it gives is valid until the next frame is converted. */
  convert(frame: Frame): Buffer {
    const layout = toNamedLayout(frame.channelLayout);
    // Chained streams may change in the middle.
    const sourceKey = `${frame.format} ${frame.sampleRate} ${describeLayout(layout)}`;
    if (!this.#resampler || sourceKey !== this.#sourceKey) {
      this.#resampler?.free();
      this.#resampler = this.#makeResampler(frame, layout);
      this.#sourceKey = sourceKey;
    }
    const capacityFrames = this.#resampler.getOutSamples(frame.nbSamples);
    const capacityBytes = capacityFrames * this.bytesPerFrame;
    if (this.#output.length < capacityBytes) this.#output = Buffer.alloc(capacityBytes);
    const lengthFrames = this.#resampler.convertSync(
      [this.#output],
      capacityFrames,
      frame.extendedData,
      frame.nbSamples,
    );
    checkFfmpeg(lengthFrames, "unreadable", "The sound in the file cannot be converted");
    const converted = this.#output.subarray(0, lengthFrames * this.bytesPerFrame);
    silenceWhatIsNoNumber(converted);
    return converted;
  }

  #makeResampler(frame: Frame, layout: ChannelLayout): SoftwareResampleContext {
    const resampler = new SoftwareResampleContext();
    const { sampleRateHz, layout: targetLayout } = this.target;
    const message = "The sound in the file changes in a way that cannot be followed";
    checkFfmpeg(
      resampler.allocSetOpts2(
        targetLayout,
        AV_SAMPLE_FMT_FLT,
        sampleRateHz,
        layout,
        frame.format as AVSampleFormat,
        frame.sampleRate,
      ),
      "unreadable",
      message,
    );
    checkFfmpeg(resampler.init(), "unreadable", message);
    return resampler;
  }
}

/** A single NaN or infinity would spread over all that a network makes of its window. */
function silenceWhatIsNoNumber({ buffer, byteOffset, byteLength }: Buffer): void {
  const samples = new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
  for (let at = 0; at < samples.length; at++) {
    if (!Number.isFinite(samples[at])) samples[at] = 0;
  }
}
