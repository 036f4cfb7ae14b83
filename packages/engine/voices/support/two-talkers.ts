import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toSampleRate } from "../../dsp/resampling/resampled-source.ts";
import { decodeToPcm } from "../../media/index.ts";

const RATE_HZ = 48_000;
const SPEECH_FOLDER = join(import.meta.dirname, "../../transcription/support");

export type Talker = { sound: Float32Array; seconds: number };

/** Two speakers with distinguishable voices, mono at 48 kHz. */
export async function loadTalkers(): Promise<{ english: Talker; spanish: Talker }> {
  const folder = mkdtempSync(join(tmpdir(), "stemwright-talkers-"));
  const load = async (name: string) => {
    const pcmPath = join(folder, `${name}.f32`);
    await decodeToPcm({ inputPath: join(SPEECH_FOLDER, name), pcmPath });
    return new Float32Array(new Uint8Array(readFileSync(pcmPath)).buffer);
  };
  const [english, spanish] = [await load("english.opus"), raise(await load("spanish.opus"))];
  rmSync(folder, { recursive: true });
  const toTalker = (sound: Float32Array) => ({ sound, seconds: sound.length / RATE_HZ });
  return { english: toTalker(english), spanish: toTalker(spanish) };
}

/** Two fifths faster and higher: the fixtures' voices, two men with one accent, are too similar. */
function raise(sound: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.floor(sound.length / 1.4) }, (_, n) => {
    const at = Math.floor(1.4 * n);
    const part = 1.4 * n - at;
    return (1 - part) * (sound[at] ?? 0) + part * (sound[at + 1] ?? 0);
  });
}

/** Mixes pieces at their times, each channel at half the level of the previous one. */
export function layPieces(
  pieces: readonly { talker: Talker; atSeconds: number }[],
  shape: { seconds: number; sampleRateHz?: number; channels?: number },
): Float32Array[] {
  const { seconds, sampleRateHz = RATE_HZ, channels = 2 } = shape;
  const mix = new Float32Array(seconds * RATE_HZ);
  for (const { talker, atSeconds } of pieces) {
    const start = Math.round(atSeconds * RATE_HZ);
    talker.sound.forEach((value, n) => {
      if (start + n < mix.length) mix[start + n] = (mix[start + n] ?? 0) + value;
    });
  }
  const first = sampleRateHz === RATE_HZ ? mix : toRate(mix, sampleRateHz);
  return Array.from({ length: channels }, (_, channel) => first.map((value) => value / 2 ** channel));
}

function toRate(mix: Float32Array, sampleRateHz: number): Float32Array {
  const source = {
    channels: 1,
    sampleRateHz: RATE_HZ,
    lengthFrames: mix.length,
    read: (startFrame: number, lengthFrames: number) => {
      const plane = new Float32Array(lengthFrames);
      const from = Math.max(0, startFrame);
      plane.set(mix.subarray(from, Math.max(from, startFrame + lengthFrames)), from - startFrame);
      return [plane];
    },
  };
  const resampled = toSampleRate(source, { sampleRateHz });
  return resampled.read(0, resampled.lengthFrames)[0] ?? new Float32Array();
}

/** The second interrupts the first, who then answers. Returns when each starts, and when it ends. */
export function makeTalk(
  { english, spanish }: { english: Talker; spanish: Talker },
  shape: { sampleRateHz?: number; channels?: number } = {},
) {
  const spanishSeconds = english.seconds - 0.6;
  const englishSeconds = spanishSeconds + spanish.seconds + 0.5;
  const endSeconds = Math.ceil(englishSeconds + english.seconds + 0.5);
  const planes = layPieces(
    [
      { talker: english, atSeconds: 0 },
      { talker: spanish, atSeconds: spanishSeconds },
      { talker: english, atSeconds: englishSeconds },
    ],
    { seconds: endSeconds, ...shape },
  );
  return { planes, times: { spanish: spanishSeconds, english: englishSeconds, end: endSeconds } };
}
