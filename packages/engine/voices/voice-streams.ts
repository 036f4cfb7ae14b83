import { addFaded, type Crossfade, isExchanged, joinWindows } from "../diarization/stitch-voices.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { PcmFileSource } from "../files/pcm-file-source.ts";
import {
  VOICE_RATE_HZ,
  VOICE_WINDOW_FRAMES,
  type VoicePair,
  type VoiceSeparator,
} from "../networks/voices/voice-separator.ts";
import { StemSpool } from "../separation/stem-spool.ts";

/**
 * Separates the windows one by one into a spool: for each window both voices, each with all channels. A killed run resumes after its last
 * whole window.
 */
export async function spoolVoices(work: {
  separator: Pick<VoiceSeparator, "separate">;
  /** At 16 kHz, with the input's channels. */
  source: FrameSource;
  starts: readonly number[];
  path: string;
  onProgress: (fraction: number) => void;
}): Promise<void> {
  const { separator, source, starts, path, onProgress } = work;
  using spool = new StemSpool(path, 2 * source.channels);
  const done = Math.floor(spool.lengthFrames / VOICE_WINDOW_FRAMES);
  spool.truncate(done * VOICE_WINDOW_FRAMES);
  for (const [index, start] of starts.slice(done).entries()) {
    onProgress((done + index) / starts.length);
    const pair = await separator.separate(source.read(start, VOICE_WINDOW_FRAMES));
    spool.append(pair.flat());
  }
  onProgress(1);
}

/**
 * Two streams over the whole recording with one voice at a time in each: windows joined with crossfades, each in the order that matches its overlap with
 * the previous one. Silence where no window was separated.
 */
export class VoiceStreams implements Disposable {
  readonly #spool: PcmFileSource;
  readonly #channels: number;
  readonly #windows: { start: number; isExchanged: boolean }[] = [];

  constructor(path: string, { channels, starts }: { channels: number; starts: readonly number[] }) {
    this.#channels = channels;
    this.#spool = new PcmFileSource(path, {
      channels: 2 * channels,
      sampleRateHz: VOICE_RATE_HZ,
      lengthFrames: starts.length * VOICE_WINDOW_FRAMES,
    });
    for (const start of starts) this.#windows.push({ start, isExchanged: this.#isExchanged(start) });
  }

  /** Both streams, one array per channel each. */
  read(startFrame: number, lengthFrames: number): [Float32Array[], Float32Array[]] {
    const streams = Array.from({ length: 2 * this.#channels }, () => new Float32Array(lengthFrames));
    this.#windows.forEach(({ start, isExchanged }, index) => {
      const from = Math.max(startFrame, start);
      const to = Math.min(startFrame + lengthFrames, start + VOICE_WINDOW_FRAMES);
      if (from >= to) return;
      const planes = this.#spool.read(index * VOICE_WINDOW_FRAMES + from - start, to - from);
      const joints = { before: this.#findJoint(index - 1), behind: this.#findJoint(index) };
      planes.forEach((plane, row) => {
        const into = streams[isExchanged ? (row + this.#channels) % streams.length : row];
        if (into) addFaded(into, { plane, at: from - startFrame, from, ...joints });
      });
    });
    return [streams.slice(0, this.#channels), streams.slice(this.#channels)];
  }

  [Symbol.dispose](): void {
    this.#spool[Symbol.dispose]();
  }

  /** Whether the voices of the next window, which starts there, are in the other order than the streams. */
  #isExchanged(start: number): boolean {
    const index = this.#windows.length;
    const before = this.#windows[index - 1];
    if (before === undefined) return false;
    const hop = start - before.start;
    if (hop >= VOICE_WINDOW_FRAMES) return false;
    const tail = this.#readPair((index - 1) * VOICE_WINDOW_FRAMES + hop, VOICE_WINDOW_FRAMES - hop);
    const head = this.#readPair(index * VOICE_WINDOW_FRAMES, VOICE_WINDOW_FRAMES - hop);
    return isExchanged(tail, head) !== before.isExchanged;
  }

  #readPair(spoolFrame: number, lengthFrames: number): VoicePair {
    const planes = this.#spool.read(spoolFrame, lengthFrames);
    return [planes.slice(0, this.#channels), planes.slice(this.#channels)];
  }

  /** Where a window gives way to the next, if they overlap. */
  #findJoint(index: number): Crossfade | undefined {
    const [window, next] = [this.#windows[index], this.#windows[index + 1]];
    if (window === undefined || next === undefined) return undefined;
    return next.start - window.start < VOICE_WINDOW_FRAMES
      ? joinWindows(window.start, next.start)
      : undefined;
  }
}
