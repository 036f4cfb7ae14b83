import { AV_NOPTS_VALUE, AV_TIME_BASE, AVERROR_EOF } from "node-av/constants";
import { avGetCodecName, type FormatContext, Packet, type Stream } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import { checkFfmpeg } from "./check-ffmpeg.ts";
import { decodeFrames } from "./decoded-frames.ts";
import { findVideo, openAudioInput, openContainer } from "./open-audio-input.ts";

/** The moving picture of a video, copied packet by packet. */
export class PictureSource {
  readonly codec: string;
  /** Where the video's own sound starts, counted from the start of the video. */
  readonly audioStartSeconds: number;
  readonly #source: FormatContext;
  readonly #video: Stream;
  readonly #startSeconds: number;
  readonly #packet = new Packet();
  #copy: Stream | undefined;
  #isHolding = false;
  #isAtEnd = false;

  private constructor(source: FormatContext, video: Stream, audioSeconds: number | undefined) {
    this.#source = source;
    this.#video = video;
    this.#startSeconds = source.startTime === AV_NOPTS_VALUE ? 0 : Number(source.startTime) / AV_TIME_BASE;
    this.audioStartSeconds = audioSeconds === undefined ? 0 : audioSeconds - this.#startSeconds;
    this.codec = avGetCodecName(video.codecpar.codecId) ?? "unknown";
    this.#packet.alloc();
  }

  /** Undefined for a file without a moving picture. */
  static open(fd: number): PictureSource | undefined {
    const audioSeconds = findAudioStartSeconds(fd);
    const source = openContainer(fd);
    const video = findVideo(source);
    return video ? new PictureSource(source, video, audioSeconds) : undefined;
  }

  addTo(output: FormatContext): void {
    const copy = output.newStream(null);
    this.#video.codecpar.copy(copy.codecpar);
    // Tags such as hvc1 mean something in mp4 only.
    if (!this.#source.iformat?.name?.startsWith("mov")) copy.codecpar.codecTag = 0;
    copy.timeBase = this.#video.timeBase;
    copy.avgFrameRate = this.#video.avgFrameRate;
    copy.sampleAspectRatio = this.#video.sampleAspectRatio;
    this.#copy = copy;
  }

  /** Keeps the picture level with the sound, so that neither has to be held in memory. */
  copyUntil(output: FormatContext, seconds: number): void {
    const { timeBase } = this.#video;
    while (this.#hold()) {
      const dtsSeconds = Number(this.#packet.dts) * timeBase.toDouble() - this.#startSeconds;
      if (this.#packet.dts !== AV_NOPTS_VALUE && dtsSeconds > seconds) return;
      this.#write(output);
    }
  }

  #hold(): boolean {
    while (!this.#isHolding && !this.#isAtEnd) {
      const code = this.#source.readFrameSync(this.#packet);
      // A damaged end of the picture ends it; the sound goes on.
      if (code === AVERROR_EOF || code < 0) this.#isAtEnd = true;
      else if (this.#packet.streamIndex === this.#video.index) this.#isHolding = true;
      else this.#packet.unref();
    }
    return this.#isHolding;
  }

  #write(output: FormatContext): void {
    const packet = this.#packet;
    const { timeBase } = this.#video;
    const shift = BigInt(Math.round(this.#startSeconds / timeBase.toDouble()));
    if (packet.pts !== AV_NOPTS_VALUE) packet.pts -= shift;
    if (packet.dts !== AV_NOPTS_VALUE) packet.dts -= shift;
    if (this.#copy) {
      packet.streamIndex = this.#copy.index;
      packet.rescaleTs(timeBase, this.#copy.timeBase);
    }
    packet.pos = -1n;
    checkFfmpeg(
      output.interleavedWriteFrameSync(packet),
      "encode-failed",
      "The picture cannot be copied into an mp4",
    );
    packet.unref();
    this.#isHolding = false;
  }
}

function findAudioStartSeconds(fd: number): number | undefined {
  try {
    const input = openAudioInput(fd);
    const first = decodeFrames(input).next();
    input.format.closeInputSync();
    return first.done ? undefined : first.value.startSeconds;
  } catch (error) {
    // A silent picture may be given a sound.
    if (error instanceof MediaError && error.kind === "no-audio") return undefined;
    throw error;
  }
}
