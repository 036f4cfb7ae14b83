import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { SAMPLE_RATE_HZ } from "../networks/whisper/log-mel.ts";
import type { Whisper } from "../networks/whisper/whisper.ts";
import { readWindow, type SpeechWindow } from "./speech-windows.ts";
import { partByLanguage } from "./split-by-language.ts";
import { halveWindow } from "./split-window.ts";
import type { SpokenWindow } from "./spoken-window.ts";
import { type EncodedWindow, hearBatch, type Knowledge } from "./transcribe-batch.ts";

/** A shorter window that was not understood is not heard again in halves. */
const LEAST_HALVED_FRAMES = 10 * SAMPLE_RATE_HZ;

export type Hearing = Knowledge & { source: FrameSource };

/** Transcribes a batch of windows: words, language, times. Returns the parts of each. */
export async function hearWindows(
  whisper: Whisper,
  windows: readonly SpeechWindow[],
  hearing: Hearing,
): Promise<SpokenWindow[][]> {
  const encoded: EncodedWindow[][] = [];
  for (const window of windows) encoded.push(await encodeParts(whisper, window, hearing));
  const spoken = await hearAll(whisper, encoded.flat(), { ...hearing, atOnce: windows.length });
  return encoded.map((parts) => spoken.splice(0, parts.length).flat());
}

/** Transcribes encoded windows a few at once. One that was not understood is heard again in halves. */
async function hearAll(
  whisper: Whisper,
  encoded: readonly EncodedWindow[],
  hearing: Hearing & { atOnce: number },
): Promise<SpokenWindow[][]> {
  const spoken: SpokenWindow[][] = [];
  while (spoken.length < encoded.length) {
    const batch = encoded.slice(spoken.length, spoken.length + hearing.atOnce);
    const knowing = () => ({ ...hearing, before: [...hearing.before, ...spoken.flat()] });
    const heard = await hearBatch(whisper, batch, knowing());
    for (const { window, samples, result, isGarbled } of heard) {
      if (!isGarbled || window.lengthFrames < LEAST_HALVED_FRAMES) {
        spoken.push([result]);
        continue;
      }
      const halves: EncodedWindow[] = [];
      for (const half of halveWindow(window, samples)) halves.push(await encode(whisper, half, hearing));
      spoken.push((await hearAll(whisper, halves, knowing())).flat());
    }
  }
  return spoken;
}

async function encode(
  whisper: Whisper,
  window: SpeechWindow,
  { source }: Pick<Hearing, "source">,
): Promise<EncodedWindow> {
  const samples = readWindow(window, source);
  return { window, samples, states: await whisper.encode(samples) };
}

async function encodeParts(
  whisper: Whisper,
  window: SpeechWindow,
  hearing: Hearing,
): Promise<EncodedWindow[]> {
  const whole = await encode(whisper, window, hearing);
  if (hearing.wishes.language !== undefined) return [whole];
  const parts = await partByLanguage(whisper, window, whole.states);
  if (parts.length === 1) return [whole];
  const encoded: EncodedWindow[] = [];
  for (const part of parts) encoded.push(await encode(whisper, part, hearing));
  return encoded;
}
