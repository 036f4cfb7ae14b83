import { rmSync } from "node:fs";
import { join } from "node:path";
import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import { MonoSource } from "../dsp/sources/mono-source.ts";
import { EngineError } from "../engine-error.ts";
import { PcmFileSource } from "../files/pcm-file-source.ts";
import type { Manifest } from "../manifests/manifest.ts";
import { decodeToPcm } from "../media/index.ts";
import type { SpeechNetworks } from "../networks/speech-networks.ts";
import { SPEECH_RATE_HZ } from "../networks/whisper/log-mel.ts";
import { toEngineError, toSystemError } from "../targets/to-engine-error.ts";
import { fillTimes } from "../text/fill-times.ts";
import { splitWords } from "../text/split-words.ts";
import type { TimedLine } from "../text/timed-text.ts";
import { type AlignedWord, forceAlign } from "./force-align.ts";

/** Audio around the words that is included. */
const MARGIN_SECONDS = 0.4;
/** More than a minute and a half of eight channels at 192 kHz. */
const MAX_PCM_BYTES = 2 ** 30;

/** A neighbouring word with known times: it bounds the gap. */
type Neighbour = { text: string; startSeconds: number; endSeconds: number };

/** New times for a text between two anchors of a recording. */
export type GapRequest = {
  inputPath: string;
  workDir: string;
  text: string;
  startSeconds: number;
  endSeconds: number;
  before: Neighbour[];
  after: Neighbour[];
  /** Code of a language the network knows. */
  language: string;
};

/** The text's lines, timed between the anchors. A word that is not found gets an interpolated time and confidence 0. */
export type GapResult = { lines: TimedLine[] };

/** Decodes and processes only the gap and its neighbours. */
export async function alignGap(
  request: GapRequest,
  { networks, manifests }: { networks: SpeechNetworks; manifests: readonly Manifest[] },
): Promise<GapResult> {
  const manifest = manifests.find((candidate) => candidate.family === "whisper");
  if (manifest === undefined) throw new EngineError("network-missing", "The network for speech is missing.");
  const { startSeconds, endSeconds, before, after, language } = request;
  const lines = splitWords(request.text);
  const words = lines.flatMap((line) => line.words.map(({ text }) => text));
  const span = {
    startSeconds: Math.max(0, (before[0]?.startSeconds ?? startSeconds) - MARGIN_SECONDS),
    endSeconds: (after.at(-1)?.endSeconds ?? endSeconds) + MARGIN_SECONDS,
  };
  const pcmPath = join(request.workDir, "gap.f32");
  try {
    const info = await decodeToPcm({
      inputPath: request.inputPath,
      pcmPath,
      range: span,
      maxBytes: MAX_PCM_BYTES,
    }).catch((error) => {
      throw toEngineError(error, "decoding");
    });
    using pcm = new PcmFileSource(pcmPath, info);
    const entries: (AlignedWord | null)[][] = [];
    const placed = await forceAlign(
      {
        source: toSampleRate(new MonoSource(pcm), { sampleRateHz: SPEECH_RATE_HZ, isForNetwork: true }),
        language,
        getWhisper: () => networks.getWhisper(manifest),
        log: { entries, append: (found) => void entries.push(...found) },
        windows: 0,
      },
      { startSeconds: 0, endSeconds: info.lengthFrames / info.sampleRateHz },
      [...before.map(toText), ...words, ...after.map(toText)],
    );
    const own = placed.slice(before.length, before.length + words.length);
    return { lines: toLines(lines, own, { startSeconds, endSeconds, fromSeconds: span.startSeconds }) };
  } catch (error) {
    throw toSystemError(error);
  } finally {
    rmSync(pcmPath, { force: true });
  }
}

const toText = ({ text }: Neighbour) => (/\s$/u.test(text) ? text : `${text} `);

/** Maps times to the recording and clamps them to the anchors. */
function toLines(
  lines: ReturnType<typeof splitWords>,
  placed: readonly (AlignedWord | undefined)[],
  {
    startSeconds,
    endSeconds,
    fromSeconds,
  }: { startSeconds: number; endSeconds: number; fromSeconds: number },
): TimedLine[] {
  const shift = startSeconds - fromSeconds;
  const spans = placed.map(
    (word) => word && { startSeconds: word.startSeconds - shift, endSeconds: word.endSeconds - shift },
  );
  const times = fillTimes(spans, { durationSeconds: endSeconds - startSeconds });
  let next = 0;
  return lines.map((line) => ({
    words: line.words.map(({ text }) => {
      const time = times[next] ?? { startSeconds: 0, endSeconds: 0 };
      const confidence = placed[next]?.confidence ?? 0;
      next++;
      return {
        text,
        startSeconds: startSeconds + time.startSeconds,
        endSeconds: startSeconds + time.endSeconds,
        confidence,
      };
    }),
  }));
}
