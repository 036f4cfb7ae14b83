import {
  AVERROR_EAGAIN,
  AVERROR_EINVAL,
  AVERROR_EOF,
  AVFMT_FLAG_BITEXACT,
  AVFMT_GLOBALHEADER,
  AVIO_FLAG_WRITE,
} from "node-av/constants";
import {
  type CodecContext,
  Dictionary,
  FormatContext,
  Frame,
  IOContext,
  Packet,
  type Stream,
} from "node-av/lib";
import { MediaError } from "../media-error.ts";
import type { EncodeRequest, EncodeTarget } from "../media-request.ts";
import { describeUnfitPicture } from "../output-fault.ts";
import { checkFfmpeg } from "./check-ffmpeg.ts";
import { type Encoding, getEncoding } from "./encoding.ts";
import { FrameBlocks } from "./frame-blocks.ts";
import { type EncoderInput, openAudioEncoder, toEncodingLayout } from "./open-audio-encoder.ts";
import { PcmResampler } from "./pcm-resampler.ts";
import type { PictureSource } from "./picture-source.ts";
import { limitForLossy, toSampleBytes } from "./to-sample-bytes.ts";

/** PCM encoders take any block size; this one keeps packets small. */
const PCM_BLOCK_FRAMES = 4096;

const WRITE_FAILED = "The file cannot be written";

/** One file being encoded. The constructor opens the descriptor, before the child drops its user. */
export class FileEncoder {
  readonly target: EncodeTarget;
  readonly encoding: Encoding;
  readonly #format = new FormatContext();
  readonly #io = new IOContext();
  readonly #encoder: CodecContext;
  #audio: Stream | undefined;
  readonly #resampler: PcmResampler;
  readonly #blocks: FrameBlocks;
  readonly #packet = new Packet();
  #picture: PictureSource | undefined;
  #startFrames = 0n;
  #sentFrames = 0n;
  #writtenPackets = 0;
  #isPriming: boolean;
  #clippedSamples = 0;

  constructor(target: EncodeTarget, { sampleRateHz, layout }: EncoderInput) {
    this.target = target;
    this.encoding = getEncoding(target.format, target.wavBitDepth);
    const input = { sampleRateHz, layout: toEncodingLayout(this.encoding, layout) };
    this.#isPriming = this.encoding.dropsPriming ?? false;
    // FFmpeg's fd protocol can't write here, and its pipe protocol can't seek back to the header.
    checkFfmpeg(
      this.#io.open2Sync(`file:/proc/self/fd/${target.fd}`, AVIO_FLAG_WRITE),
      "encode-failed",
      WRITE_FAILED,
    );
    checkFfmpeg(
      this.#format.allocOutputContext2(null, this.encoding.muxer, ""),
      "encode-failed",
      WRITE_FAILED,
    );
    this.#format.pb = this.#io;
    this.#format.setFlags(AVFMT_FLAG_BITEXACT);
    const hasGlobalHeader = this.#format.oformat?.hasFlags(AVFMT_GLOBALHEADER) ?? false;
    this.#encoder = openAudioEncoder({ encoding: this.encoding, input, hasGlobalHeader });
    this.#resampler = new PcmResampler(input, {
      sampleRateHz: this.#encoder.sampleRate,
      layout: this.#encoder.channelLayout,
    });
    this.#blocks = new FrameBlocks(
      (this.#encoder.frameSize || PCM_BLOCK_FRAMES) * this.#encoder.channelLayout.nbChannels,
    );
    this.#packet.alloc();
  }

  /** At the output's own rate. */
  get sampleRateHz(): number {
    return this.#encoder.sampleRate;
  }

  /** Samples clipped at full scale; integer formats only. */
  get clippedSamples(): number {
    return this.#clippedSamples;
  }

  get frameSizeFrames(): number {
    return this.#encoder.frameSize;
  }

  writeHeader(
    { tags, leadSeconds }: Pick<EncodeRequest, "tags" | "leadSeconds">,
    picture: PictureSource | undefined,
  ): void {
    this.#picture = picture;
    // The picture comes first, as players and editors expect it.
    picture?.addTo(this.#format);
    this.#audio = this.#addAudio();
    const startSeconds = Math.max(0, (picture?.audioStartSeconds ?? 0) - leadSeconds);
    this.#startFrames = BigInt(Math.round(startSeconds * this.#encoder.sampleRate));
    this.#format.metadata = Dictionary.fromObject(tags);
    // Edit lists use the movie's time scale: the default of 1000 would round the length to a millisecond.
    const isMovie = ["mp4", "ipod"].includes(this.encoding.muxer);
    using options = Dictionary.fromObject({
      ...this.encoding.muxerOptions,
      ...(isMovie ? { movie_timescale: String(this.#encoder.sampleRate) } : {}),
    });
    const code = this.#format.writeHeaderSync(options);
    if (code === AVERROR_EINVAL && picture)
      throw new MediaError("encode-failed", describeUnfitPicture(picture.codec));
    checkFfmpeg(code, "encode-failed", WRITE_FAILED);
  }

  #addAudio(): Stream {
    const audio = this.#format.newStream(null);
    checkFfmpeg(this.#encoder.parametersFromContext(audio.codecpar), "encode-failed", WRITE_FAILED);
    audio.timeBase = this.#encoder.timeBase;
    return audio;
  }

  write(samples: Float32Array): void {
    for (const block of this.#blocks.push(this.#resampler.convert(samples))) this.#encode(block);
  }

  finish(): void {
    for (const block of this.#blocks.push(this.#resampler.drain())) this.#encode(block);
    for (const block of this.#blocks.push(this.#makeMissingSilence())) this.#encode(block);
    const rest = this.#blocks.takeRest();
    if (rest.length > 0) this.#encode(rest);
    this.#send(null);
    this.#picture?.copyUntil(this.#format, Number.POSITIVE_INFINITY);
    checkFfmpeg(this.#format.writeTrailerSync(), "encode-failed", WRITE_FAILED);
    this.#io.flushSync();
    checkFfmpeg(this.#io.error, "encode-failed", WRITE_FAILED);
    checkFfmpeg(this.#io.closepSync(), "encode-failed", WRITE_FAILED);
  }

  #makeMissingSilence(): Float32Array {
    const channels = this.#encoder.channelLayout.nbChannels;
    const wantedFrames = (this.encoding.minBlocks ?? 0) * this.#encoder.frameSize;
    const presentFrames = Number(this.#sentFrames) + this.#blocks.heldSamples / channels;
    return new Float32Array(Math.max(0, wantedFrames - presentFrames) * channels);
  }

  #encode(block: Float32Array): void {
    const { channelLayout, sampleFormat, sampleRate } = this.#encoder;
    const nbSamples = block.length / channelLayout.nbChannels;
    const held = this.encoding.isLossless ? block : limitForLossy(block);
    const { bytes, clippedSamples } = toSampleBytes(held, channelLayout.nbChannels, sampleFormat);
    this.#clippedSamples += clippedSamples;
    using frame = Frame.fromAudioBuffer(bytes, {
      nbSamples,
      format: sampleFormat,
      sampleRate,
      channelLayout,
      timeBase: { num: 1, den: sampleRate },
      pts: this.#startFrames + this.#sentFrames,
    });
    this.#sentFrames += BigInt(nbSamples);
    this.#send(frame);
  }

  #send(frame: Frame | null): void {
    checkFfmpeg(this.#encoder.sendFrameSync(frame), "encode-failed", "The sound cannot be encoded");
    for (;;) {
      const code = this.#encoder.receivePacketSync(this.#packet);
      if (code === AVERROR_EAGAIN || code === AVERROR_EOF) return;
      checkFfmpeg(code, "encode-failed", "The sound cannot be encoded");
      if (this.#isPriming || this.#isPastEnd()) this.#packet.unref();
      else this.#writePacket();
      this.#isPriming = false;
    }
  }

  /**
   * The mp3 muxer records only the last packet's padding, so a packet of padding alone must not be the last, unless it is the second: no reader
   * recognises an mp3 of one packet.
   */
  #isPastEnd(): boolean {
    return !this.encoding.isLossless && this.#writtenPackets >= 2 && this.#packet.duration <= 0n;
  }

  #writePacket(): void {
    if (!this.#audio) throw new Error("written before the header");
    const packet = this.#packet;
    packet.streamIndex = this.#audio.index;
    packet.rescaleTs(this.#encoder.timeBase, this.#audio.timeBase);
    this.#picture?.copyUntil(this.#format, Number(packet.dts) * this.#audio.timeBase.toDouble());
    checkFfmpeg(this.#format.interleavedWriteFrameSync(packet), "encode-failed", WRITE_FAILED);
    checkFfmpeg(this.#io.error, "encode-failed", WRITE_FAILED);
    this.#writtenPackets++;
  }
}
