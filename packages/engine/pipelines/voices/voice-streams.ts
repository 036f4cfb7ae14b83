import type { FrameSource } from "../../dsp/frame-source.ts";
import { addFaded, isExchanged } from "../../networks/voices/stitch-voices.ts";
import { SAMPLE_RATE_HZ, type VoiceSeparator, WINDOW_FRAMES } from "../../networks/voices/voice-separator.ts";
import { PcmFileSource } from "../pcm-file-source.ts";
import { StemSpool } from "../stem-spool.ts";

/** Neighbouring windows overlap by a quarter. */
const HOP_FRAMES = (WINDOW_FRAMES * 3) / 4;
const OVERLAP_FRAMES = WINDOW_FRAMES - HOP_FRAMES;
const GRID = { hopFrames: HOP_FRAMES, overlapFrames: OVERLAP_FRAMES };

/** Starts of the windows to separate, in frames at 16 kHz. */
export function listWindows(
  isNeeded: (startFrame: number, endFrame: number) => boolean,
  lengthFrames: number,
): number[] {
  const starts: number[] = [];
  for (let start = -OVERLAP_FRAMES; start < lengthFrames; start += HOP_FRAMES) {
    if (isNeeded(start, start + WINDOW_FRAMES)) starts.push(start);
  }
  return starts;
}

/**
 * Separates the windows one by one into a spool: for each window both voices, each with all channels. A killed run resumes after its last
 * whole window.
 */
export async function spoolVoices(work: {
  separator: VoiceSeparator;
  /** At 16 kHz, with the input's channels. */
  source: FrameSource;
  starts: readonly number[];
  path: string;
  onProgress: (fraction: number) => void;
}): Promise<void> {
  const { separator, source, starts, path, onProgress } = work;
  using spool = new StemSpool(path, 2 * source.channels);
  const done = Math.floor(spool.lengthFrames / WINDOW_FRAMES);
  spool.truncate(done * WINDOW_FRAMES);
  for (const [index, start] of starts.slice(done).entries()) {
    onProgress((done + index) / starts.length);
    const pair = await separator.separate(source.read(start, WINDOW_FRAMES));
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
      sampleRateHz: SAMPLE_RATE_HZ,
      lengthFrames: starts.length * WINDOW_FRAMES,
    });
    for (const start of starts) this.#windows.push({ start, isExchanged: this.#isExchanged(start) });
  }

  /** Both streams, one array per channel each. */
  read(startFrame: number, lengthFrames: number): [Float32Array[], Float32Array[]] {
    const streams = Array.from({ length: 2 * this.#channels }, () => new Float32Array(lengthFrames));
    this.#windows.forEach(({ start, isExchanged }, index) => {
      const from = Math.max(startFrame, start);
      const to = Math.min(startFrame + lengthFrames, start + WINDOW_FRAMES);
      if (from >= to) return;
      const planes = this.#spool.read(index * WINDOW_FRAMES + from - start, to - from);
      const fades = { before: this.#touches(index - 1), behind: this.#touches(index) };
      planes.forEach((plane, row) => {
        const into = streams[isExchanged ? (row + this.#channels) % streams.length : row];
        if (into)
          addFaded(into, { plane, at: from - startFrame, firstFrame: from - start, ...fades, ...GRID });
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
    if (before === undefined || start - before.start !== HOP_FRAMES) return false;
    const tail = this.#readPair((index - 1) * WINDOW_FRAMES + HOP_FRAMES);
    const head = this.#readPair(index * WINDOW_FRAMES);
    return isExchanged(tail, head) !== before.isExchanged;
  }

  #readPair(spoolFrame: number): [Float32Array, Float32Array] {
    const planes = this.#spool.read(spoolFrame, OVERLAP_FRAMES);
    const [first = new Float32Array(), second = new Float32Array()] = [planes[0], planes[this.#channels]];
    return [first, second];
  }

  /** Whether the next window overlaps this one. */
  #touches(index: number): boolean {
    const [window, next] = [this.#windows[index], this.#windows[index + 1]];
    return window !== undefined && next !== undefined && next.start - window.start === HOP_FRAMES;
  }
}
