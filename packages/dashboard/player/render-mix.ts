import type { ChunkStore } from "./chunk-store.ts";
import { findGain, type Mix } from "./mix.ts";
import type { PlayablePreviews } from "./preview-source.ts";

const HEADER_BYTES = 44;
const FLOAT_FORMAT = 3;
/** The `ds64` chunk of RF64 (EBU Tech 3306), before all others. */
const WIDE_BYTES = 36;
const LARGE = 0xffff_ffff;

/** Stereo of 32-bit floats; RF64 from 4 GiB on, the limit of plain wav. */
export function makeWavHeader(frames: number, sampleRate: number): ArrayBuffer {
  const frameBytes = 8;
  const dataBytes = frames * frameBytes;
  const isLarge = HEADER_BYTES + dataBytes >= LARGE;
  const extraBytes = isLarge ? WIDE_BYTES : 0;
  const header = new ArrayBuffer(HEADER_BYTES + extraBytes);
  const view = new DataView(header, extraBytes);
  const start = new DataView(header);
  const text = (into: DataView, at: number, letters: string) => {
    for (const [n, letter] of [...letters].entries()) into.setUint8(at + n, letter.charCodeAt(0));
  };
  text(start, 0, isLarge ? "RF64" : "RIFF");
  start.setUint32(4, isLarge ? LARGE : HEADER_BYTES - 8 + dataBytes, true);
  text(start, 8, "WAVE");
  if (isLarge) {
    text(start, 12, "ds64");
    start.setUint32(16, WIDE_BYTES - 8, true);
    start.setBigUint64(20, BigInt(header.byteLength - 8 + dataBytes), true);
    start.setBigUint64(28, BigInt(dataBytes), true);
    start.setBigUint64(36, BigInt(frames), true);
  }
  text(view, 12, "fmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, FLOAT_FORMAT, true);
  view.setUint16(22, 2, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * frameBytes, true);
  view.setUint16(32, frameBytes, true);
  view.setUint16(34, 32, true);
  text(view, 36, "data");
  view.setUint32(40, isLarge ? LARGE : dataBytes, true);
  return header;
}

/** The gains of a panner for one or two channels (Web Audio, "equal power"): from each channel to each side. */
function panOf(
  pan: number,
  channels: number,
): { leftLeft: number; leftRight: number; rightLeft: number; rightRight: number } {
  if (channels === 1 && pan !== 0) {
    const angle = ((pan + 1) * Math.PI) / 4;
    return { leftLeft: Math.cos(angle), leftRight: 0, rightLeft: Math.sin(angle), rightRight: 0 };
  }
  const angle = ((pan <= 0 ? pan + 1 : pan) * Math.PI) / 2;
  const [near, far] = [Math.cos(angle), Math.sin(angle)];
  return pan <= 0
    ? { leftLeft: 1, leftRight: near, rightLeft: 0, rightRight: far }
    : { leftLeft: near, leftRight: 0, rightLeft: far, rightRight: 1 };
}

/** Renders the mix of a range as a 32-bit float wav file. Chunk by chunk: browsers keep the parts of large files on disk. */
export async function renderMix(
  { store, previews, mix }: { store: ChunkStore; previews: PlayablePreviews; mix: Mix },
  { start, end }: { start: number; end: number },
  onProgress: (fraction: number) => void = () => {},
): Promise<Blob> {
  const { chunkFrames, sampleRate } = previews;
  const parts: BlobPart[] = [makeWavHeader(end - start, sampleRate)];
  for (let frame = start; frame < end; ) {
    const piece = await store.load(previews, { frame, lengthFrames: chunkFrames });
    if (!piece) throw new Error("The Task is not that far yet; try again when it is complete.");
    const to = Math.min(end, piece.end);
    const block = new Float32Array(2 * (to - frame));
    for (const [id, sound] of piece.sounds) {
      const gain = findGain(mix, id);
      if (gain === 0) continue;
      const left = sound.getChannelData(0);
      const right = sound.numberOfChannels > 1 ? sound.getChannelData(1) : left;
      const { leftLeft, leftRight, rightLeft, rightRight } = panOf(mix[id]?.pan ?? 0, sound.numberOfChannels);
      const offset = frame - piece.start;
      for (let n = 0; n < to - frame; n++) {
        const [l, r] = [(left[offset + n] ?? 0) * gain, (right[offset + n] ?? 0) * gain];
        block[2 * n] = (block[2 * n] ?? 0) + l * leftLeft + r * leftRight;
        block[2 * n + 1] = (block[2 * n + 1] ?? 0) + l * rightLeft + r * rightRight;
      }
    }
    parts.push(new Blob([block]));
    frame = to;
    onProgress((frame - start) / (end - start));
  }
  return new Blob(parts, { type: "audio/wav" });
}
