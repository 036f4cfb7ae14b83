import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { restoreCarriageReturns } from "./restore-carriage-returns.ts";

export const TIMIT_RATE_HZ = 16_000;
const WAV_HEADER_BYTES = 44;

export type TimitUtterance = {
  name: string;
  speaker: string;
  text: string;
  /** At 16 kHz. */
  samples: Float32Array;
  words: { text: string; startSeconds: number; endSeconds: number }[];
  /** Whether missing bytes were restored in the audio. */
  isRestored: boolean;
};

/** All utterances in a folder of speakers, each a `.wav` with a `.txt` and a `.wrd`. */
export function loadTimit(folder: string): TimitUtterance[] {
  return readdirSync(folder)
    .sort()
    .flatMap((speaker) =>
      readdirSync(join(folder, speaker))
        .filter((file) => file.endsWith(".wav"))
        .sort()
        .map((file) => loadUtterance(folder, speaker, file.slice(0, -".wav".length))),
    );
}

function loadUtterance(folder: string, speaker: string, name: string): TimitUtterance {
  const read = (extension: string) => readFileSync(join(folder, speaker, `${name}.${extension}`));
  const [, , lengthText = "", text = ""] = /^(\d+) (\d+) (.*)$/.exec(read("txt").toString().trim()) ?? [];
  const stored = read("wav").subarray(WAV_HEADER_BYTES);
  const isWhole = stored.length === 2 * Number(lengthText);
  const bytes = isWhole ? stored : restoreCarriageReturns(stored);
  return {
    name: `${speaker}/${name}`,
    speaker,
    text,
    samples: toSamples(bytes),
    words: joinWords(text.split(/\s+/), parseWords(read("wrd").toString())),
    isRestored: bytes.length !== stored.length,
  };
}

function toSamples(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.length >> 1 }, (_, n) => view.getInt16(2 * n, true) / 32_768);
}

function parseWords(text: string): TimitUtterance["words"] {
  return text
    .trim()
    .split("\n")
    .map((row) => {
      const [start = "", end = "", word = ""] = row.split(" ");
      return {
        text: word,
        startSeconds: Number(start) / TIMIT_RATE_HZ,
        endSeconds: Number(end) / TIMIT_RATE_HZ,
      };
    });
}

/** The annotated words as spelled in the text, which hyphenates some that are annotated separately. */
function joinWords(written: readonly string[], marked: TimitUtterance["words"]): TimitUtterance["words"] {
  let next = 0;
  return written.map((text) => {
    const count = written.length === marked.length ? 1 : text.split("-").length;
    const [first, last] = [marked[next], marked[next + count - 1]];
    next += count;
    return {
      text,
      startSeconds: first?.startSeconds ?? Number.NaN,
      endSeconds: last?.endSeconds ?? Number.NaN,
    };
  });
}
