import { AV_SAMPLE_FMT_FLT, type AVSampleFormat } from "node-av/constants";
import {
  avChannelLayoutDefault,
  avSampleFmtIsPlanar,
  type ChannelLayout,
  type Frame,
  SoftwareResampleContext,
} from "node-av/lib";
import { MediaError } from "../media-error.ts";
import { describeLayout, toNamedLayout } from "./channel-layout.ts";
import { checkFfmpeg } from "./check-ffmpeg.ts";

/** swresample's limit. */
const MAX_SWRESAMPLE_CHANNELS = 64;
const CHANGES_TOO_MUCH = "The sound in the file changes in a way that cannot be followed";

type Target = { sampleRateHz: number; layout: ChannelLayout };

/**
 * Converts decoded frames to interleaved f32le at the rate and layout of the first frame. swresample scales integers by an exact power of two (16-bit by
 * 1/32768) and does not clip floats. What is no sample becomes silence.
 */
export class PcmConverter {
  readonly target: Target;
  #resampler: SoftwareResampleContext | undefined;
  #sourceKey = "";
  /** Reused: over hours, one buffer per frame would add up faster than they are garbage-collected. */
  #output = Buffer.alloc(0);

  constructor(first: Frame) {
    this.target = { sampleRateHz: first.sampleRate, layout: toNamedLayout(first.channelLayout) };
  }

  get bytesPerFrame(): number {
    return this.target.layout.nbChannels * Float32Array.BYTES_PER_ELEMENT;
  }

  /** The result is valid until the next frame is converted. */
  convert(frame: Frame): Buffer {
    if (this.target.layout.nbChannels > MAX_SWRESAMPLE_CHANNELS) return this.#convertWide(frame);
    const layout = toNamedLayout(frame.channelLayout);
    // Chained streams may change format midway.
    const sourceKey = `${frame.format} ${frame.sampleRate} ${describeLayout(layout)}`;
    if (!this.#resampler || sourceKey !== this.#sourceKey) {
      this.#resampler?.free();
      this.#resampler = this.#makeResampler(frame, { from: layout, to: this.target.layout });
      this.#sourceKey = sourceKey;
    }
    const lengthFrames = this.#run(this.#resampler, {
      input: frame.extendedData,
      lengthFrames: frame.nbSamples,
      bytesPerFrame: this.bytesPerFrame,
    });
    const converted = this.#output.subarray(0, lengthFrames * this.bytesPerFrame);
    silenceWhatIsNoSample(converted);
    return converted;
  }

  /** As mono, since only the sample format is converted: interleaved samples at once, planar ones plane by plane. */
  #convertWide(frame: Frame): Buffer {
    const { nbChannels } = this.target.layout;
    if (frame.channelLayout.nbChannels !== nbChannels || frame.sampleRate !== this.target.sampleRateHz)
      throw new MediaError("unreadable", CHANGES_TOO_MUCH);
    const mono = avChannelLayoutDefault(1);
    this.#resampler ??= this.#makeResampler(frame, { from: mono, to: mono });
    const planes = avSampleFmtIsPlanar(frame.format as AVSampleFormat) ? frame.extendedData : undefined;
    const bytesPerFrame = Float32Array.BYTES_PER_ELEMENT;
    const convert = (plane: Buffer | undefined, lengthFrames: number) => {
      this.#run(this.#resampler as SoftwareResampleContext, {
        input: plane ? [plane] : null,
        lengthFrames,
        bytesPerFrame,
      });
      return this.#output.subarray(0, lengthFrames * bytesPerFrame);
    };
    const converted = planes
      ? interleaveBytes(planes.map((plane) => Buffer.from(convert(plane, frame.nbSamples))))
      : convert(frame.extendedData?.[0], frame.nbSamples * nbChannels);
    silenceWhatIsNoSample(converted);
    return converted;
  }

  #run(
    resampler: SoftwareResampleContext,
    work: { input: Buffer[] | null; lengthFrames: number; bytesPerFrame: number },
  ): number {
    const capacityFrames = resampler.getOutSamples(work.lengthFrames);
    const capacityBytes = capacityFrames * work.bytesPerFrame;
    if (this.#output.length < capacityBytes) this.#output = Buffer.alloc(capacityBytes);
    const lengthFrames = resampler.convertSync([this.#output], capacityFrames, work.input, work.lengthFrames);
    checkFfmpeg(lengthFrames, "unreadable", "The sound in the file cannot be converted");
    return lengthFrames;
  }

  #makeResampler(
    frame: Frame,
    { from, to }: { from: ChannelLayout; to: ChannelLayout },
  ): SoftwareResampleContext {
    const resampler = new SoftwareResampleContext();
    checkFfmpeg(
      resampler.allocSetOpts2(
        to,
        AV_SAMPLE_FMT_FLT,
        this.target.sampleRateHz,
        from,
        frame.format as AVSampleFormat,
        frame.sampleRate,
      ),
      "unreadable",
      CHANGES_TOO_MUCH,
    );
    checkFfmpeg(resampler.init(), "unreadable", CHANGES_TOO_MUCH);
    return resampler;
  }
}

function interleaveBytes(planes: readonly Buffer[]): Buffer {
  const valueBytes = Float32Array.BYTES_PER_ELEMENT;
  const interleaved = Buffer.alloc((planes[0]?.length ?? 0) * planes.length);
  for (const [channel, plane] of planes.entries()) {
    for (let at = 0; at < plane.length; at += valueBytes)
      plane.copy(interleaved, at * planes.length + channel * valueBytes, at, at + valueBytes);
  }
  return interleaved;
}

/** 192 dB above full scale: floats in the scale of 32-bit integers stay as they are, and no power of them overflows in a network. */
const LARGEST_SAMPLE = 2 ** 32;

/** A single NaN, infinity or 3e38 would spread over the network's output for the whole window. */
function silenceWhatIsNoSample({ buffer, byteOffset, byteLength }: Buffer): void {
  const samples = new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
  for (let at = 0; at < samples.length; at++) {
    // Also true for NaN.
    if (!(Math.abs(samples[at] as number) <= LARGEST_SAMPLE)) samples[at] = 0;
  }
}
