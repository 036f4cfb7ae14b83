import { AV_NOPTS_VALUE } from "node-av/constants";
import { avGetCodecName, type FormatContext, Packet, type Stream } from "node-av/lib";
import { MediaError } from "../media-error.ts";
import type { PictureFds } from "../media-request.ts";
import { checkFfmpeg } from "./check-ffmpeg.ts";
import { completePicture } from "./complete-picture.ts";
import { DecodeTimes } from "./decode-times.ts";
import { decodeFrames } from "./decoded-frames.ts";
import { FirstPicture, isShown, LOOK_AHEAD_PACKETS } from "./first-picture.ts";
import { findVideo, openAudioInput, openContainer } from "./open-audio-input.ts";
import { findFileStartSeconds, findPcmStartSeconds } from "./pcm-start.ts";

/** A cut video may start with many packets that are only needed to decode the first one shown. */
const MAX_LOOK_AHEAD_PACKETS = 1024;

/** Tags that say where the parameter sets are, so they must be kept. Any other codec has one tag in MP4, which may differ from QuickTime's. */
const MEANINGFUL_TAGS = ["avc1", "avc3", "hvc1", "hev1"].map((tag) => Buffer.from(tag).readUInt32LE());

/** The video stream of a file, copied packet by packet. */
export class PictureSource {
  readonly codec: string;
  /** Where the file's own audio starts, relative to the start of the video. */
  readonly audioStartSeconds: number;
  readonly #source: FormatContext;
  readonly #video: Stream;
  readonly #startSeconds: number;
  readonly #packet = new Packet();
  #copy: Stream | undefined;
  #isHolding = false;
  readonly #ahead: Packet[] = [];
  readonly #times: DecodeTimes | undefined;

  private constructor(source: FormatContext, video: Stream, audioSeconds: number | undefined) {
    this.#source = source;
    this.#video = video;
    this.codec = avGetCodecName(video.codecpar.codecId) ?? "unknown";
    this.#packet.alloc();
    this.#readAhead();
    const timed = this.#ahead.filter((packet) => packet.pts !== AV_NOPTS_VALUE);
    const pts = timed.map((packet) => Number(packet.pts));
    const first = new FirstPicture(video);
    for (const packet of this.#ahead) first.note(packet);
    this.#startSeconds = findFileStartSeconds(first.startSeconds, audioSeconds) ?? 0;
    this.audioStartSeconds = audioSeconds === undefined ? 0 : audioSeconds - this.#startSeconds;
    this.#times = this.#isMovie ? undefined : new DecodeTimes(pts, this.#findFrameTicks());
  }

  /** Undefined for a file without video. */
  static open(fds: PictureFds): PictureSource | undefined {
    const audioSeconds = findAudioStartSeconds(fds.soundFd);
    const source = openContainer(fds.videoFd);
    const video = findVideo(source);
    return video ? new PictureSource(source, video, audioSeconds) : undefined;
  }

  addTo(output: FormatContext): void {
    const copy = output.newStream(null);
    this.#video.codecpar.copy(copy.codecpar);
    const [first] = this.#ahead;
    if (first?.data) completePicture(copy.codecpar, first.data);
    const { codecTag } = copy.codecpar;
    if (!this.#isMovie || !MEANINGFUL_TAGS.includes(codecTag)) copy.codecpar.codecTag = 0;
    copy.timeBase = this.#video.timeBase;
    copy.avgFrameRate = this.#video.avgFrameRate;
    copy.sampleAspectRatio = this.#video.sampleAspectRatio;
    this.#copy = copy;
  }

  get #isMovie(): boolean {
    return this.#source.iformat?.name?.startsWith("mov") ?? false;
  }

  /** Keeps the video level with the audio, so that neither has to be buffered. */
  copyUntil(output: FormatContext, seconds: number): void {
    const { timeBase } = this.#video;
    while (this.#hold()) {
      const dtsSeconds = Number(this.#packet.dts) * timeBase.toDouble() - this.#startSeconds;
      if (this.#packet.dts !== AV_NOPTS_VALUE && dtsSeconds > seconds) return;
      this.#write(output);
    }
  }

  #hold(): boolean {
    if (this.#isHolding) return true;
    const next = this.#ahead.shift();
    if (next) {
      this.#packet.ref(next);
      next.free();
    }
    this.#isHolding = next !== undefined || this.#read(this.#packet);
    if (this.#isHolding && this.#times && this.#packet.pts !== AV_NOPTS_VALUE) {
      this.#packet.dts = BigInt(this.#times.take(Number(this.#packet.pts)));
    }
    return this.#isHolding;
  }

  #read(packet: Packet): boolean {
    // Damage at the end of the video ends it; the audio continues.
    while (this.#source.readFrameSync(packet) >= 0) {
      if (packet.streamIndex === this.#video.index) return true;
      packet.unref();
    }
    return false;
  }

  #readAhead(): void {
    let shown = 0;
    for (let packet = this.#readClone(); packet; packet = this.#readClone()) {
      this.#ahead.push(packet);
      if (isShown(packet)) shown++;
      if (shown === LOOK_AHEAD_PACKETS || this.#ahead.length === MAX_LOOK_AHEAD_PACKETS) break;
    }
  }

  #findFrameTicks(): number {
    const { avgFrameRate, timeBase } = this.#video;
    return avgFrameRate.num > 0 ? Math.round(avgFrameRate.den / avgFrameRate.num / timeBase.toDouble()) : 1;
  }

  #readClone(): Packet | null {
    if (!this.#read(this.#packet)) return null;
    const clone = this.#packet.clone();
    this.#packet.unref();
    return clone;
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
    const startSeconds = first.done ? undefined : findPcmStartSeconds(input, first.value);
    input.format.closeInputSync();
    return startSeconds;
  } catch (error) {
    // A video without audio may be given some.
    if (error instanceof MediaError && error.kind === "no-audio") return undefined;
    throw error;
  }
}
