import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { SPEECH_RATE_HZ } from "../networks/whisper/log-mel.ts";
import type { Whisper } from "../networks/whisper/whisper.ts";
import { readWindow, type SpeechWindow } from "./speech-windows.ts";
import { splitByLanguage } from "./split-by-language.ts";
import { splitWindow } from "./split-window.ts";
import type { SpokenWindow } from "./spoken-window.ts";
import { type BatchContext, type EncodedWindow, transcribeBatch } from "./transcribe-batch.ts";

/** A shorter window that was not understood is not transcribed again in halves. */
const MIN_HALVED_FRAMES = 10 * SPEECH_RATE_HZ;

export type TranscriptionContext = BatchContext & { source: FrameSource };

/** Transcribes a batch of windows: words, language, times. Returns the parts of each. */
export async function transcribeWindows(
  whisper: Whisper,
  windows: readonly SpeechWindow[],
  context: TranscriptionContext,
): Promise<SpokenWindow[][]> {
  const encoded: EncodedWindow[][] = [];
  for (const window of windows) encoded.push(await encodeParts(whisper, window, context));
  const spoken = await transcribeAll(whisper, encoded.flat(), { ...context, atOnce: windows.length });
  return encoded.map((parts) => spoken.splice(0, parts.length).flat());
}

/** Transcribes encoded windows a few at once. One that was not understood is transcribed again in halves. */
async function transcribeAll(
  whisper: Whisper,
  encoded: readonly EncodedWindow[],
  context: TranscriptionContext & { atOnce: number },
): Promise<SpokenWindow[][]> {
  const spoken: SpokenWindow[][] = [];
  while (spoken.length < encoded.length) {
    const batch = encoded.slice(spoken.length, spoken.length + context.atOnce);
    const knowing = () => ({ ...context, before: [...context.before, ...spoken.flat()] });
    const transcribed = await transcribeBatch(whisper, batch, knowing());
    for (const { window, samples, result, isGarbled } of transcribed) {
      if (!isGarbled || window.lengthFrames < MIN_HALVED_FRAMES) {
        spoken.push([result]);
        continue;
      }
      const halves: EncodedWindow[] = [];
      for (const half of splitWindow(window, samples)) halves.push(await encode(whisper, half, context));
      spoken.push((await transcribeAll(whisper, halves, knowing())).flat());
    }
  }
  return spoken;
}

async function encode(
  whisper: Whisper,
  window: SpeechWindow,
  { source }: Pick<TranscriptionContext, "source">,
): Promise<EncodedWindow> {
  const samples = readWindow(window, source);
  return { window, samples, states: await whisper.encode(samples) };
}

async function encodeParts(
  whisper: Whisper,
  window: SpeechWindow,
  context: TranscriptionContext,
): Promise<EncodedWindow[]> {
  const whole = await encode(whisper, window, context);
  if (context.options.language !== undefined) return [whole];
  const parts = await splitByLanguage(whisper, window, whole.states);
  if (parts.length === 1) return [whole];
  const encoded: EncodedWindow[] = [];
  for (const part of parts) encoded.push(await encode(whisper, part, context));
  return encoded;
}
