import { createHash } from "node:crypto";
import { join } from "node:path";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { LineLog } from "../files/line-log.ts";
import type { SpeechManifest, VoiceActivityManifest } from "../manifests/manifest.ts";
import { findSpeech } from "../networks/silero-vad/find-speech.ts";
import type { SpeechNetworks } from "../networks/speech-networks.ts";
import { SPEECH_RATE_HZ, SPEECH_WINDOW_FRAMES } from "../networks/whisper/log-mel.ts";
import type { Whisper } from "../networks/whisper/whisper.ts";
import type { TranscriptionOptions } from "../targets/engine-request.ts";
import type { OpenInput } from "../targets/open-input.ts";
import type { MakeStage } from "../targets/stage-progress.ts";
import type { TimedText } from "../text/timed-text.ts";
import { assembleText } from "./assemble-text.ts";
import type { NoiseHalver } from "./halve-noise.ts";
import { packSpeechWindows, type SpeechWindow } from "./speech-windows.ts";
import { type SpokenWindow, windowPartsSchema } from "./spoken-window.ts";
import { transcribeWindows } from "./transcribe-windows.ts";
import { toTranscriptionKey } from "./transcription-groups.ts";

/** Increase when the same input and weights would give a different text. */
const LOG_VERSION = 8;
/** Windows per batch: each takes 110 MB of the 1.5 GB a transcription may use. */
const BATCH_WINDOWS = 2;

export type Transcription = {
  manifest: SpeechManifest;
  voiceActivity: VoiceActivityManifest;
  /** The recording: mono at 16 kHz. */
  source: FrameSource;
  /** Distinguishes recordings made from the same input, and everything that this one's samples depend on besides the input. */
  sourceName: string;
  sourceId: string;
  options: TranscriptionOptions;
  noiseHalver: NoiseHalver | undefined;
};

/** Measured seconds of work for each second of input; for the progress only. */
const FIND_SECONDS = 0.01;
const TRANSCRIBE_SECONDS = 0.19;

export function weighTranscription(): number {
  return FIND_SECONDS + TRANSCRIBE_SECONDS;
}

/** Transcribes the recording window by window; a killed run resumes after its last batch. */
export async function transcribe(
  run: {
    input: Pick<OpenInput, "source" | "sha256">;
    workDir: string;
    networks: SpeechNetworks;
    makeStage: MakeStage;
  },
  work: Transcription,
): Promise<TimedText> {
  const { manifest, voiceActivity, source, options } = work;
  const vad = await run.networks.getVoiceActivity(voiceActivity);
  const regions = await findSpeech(source, vad, run.makeStage(FIND_SECONDS));
  const maxFrames = options.translate ? SPEECH_WINDOW_FRAMES / 2 : SPEECH_WINDOW_FRAMES;
  const windows = packSpeechWindows(regions, {
    // A translation's words are only known to be somewhere in their window.
    maxFrames,
    fullFrames: maxFrames * 0.8,
    marginFrames: SPEECH_RATE_HZ * 0.4,
    sourceFrames: source.lengthFrames,
  });
  const log = new LineLog(
    join(run.workDir, manifest.id, `${work.sourceName}-${toTranscriptionKey(options)}`),
    {
      identity: {
        version: LOG_VERSION,
        model: manifest.id,
        encoderSha256: manifest.weights.encoder.sha256,
        decoderSha256: manifest.weights.decoder.sha256,
        noiseHalverSha256: work.noiseHalver?.sha256 ?? "none",
        inputSha256: run.input.sha256,
        source: work.sourceId,
        windowsSha256: createHash("sha256").update(JSON.stringify(windows)).digest("hex"),
      },
      entrySchema: windowPartsSchema,
    },
  );
  const onProgress = run.makeStage(TRANSCRIBE_SECONDS);
  if (log.entries.length < windows.length) {
    await transcribeRest(await run.networks.getWhisper(manifest), { ...work, windows, log, onProgress });
  }
  onProgress(1);
  return assembleText(log.entries.flat(), {
    recording: run.input.source,
    model: manifest.id,
    options,
  });
}

async function transcribeRest(
  whisper: Whisper,
  work: Transcription & {
    windows: readonly SpeechWindow[];
    log: LineLog<SpokenWindow[]>;
    onProgress: (fraction: number) => void;
  },
): Promise<void> {
  const { windows, log, source, options, noiseHalver, onProgress } = work;
  const tell = () => onProgress(log.entries.length / windows.length);
  tell();
  while (log.entries.length < windows.length) {
    const first = log.entries.length;
    const batch = windows.slice(first, first + BATCH_WINDOWS);
    log.append(
      await transcribeWindows(whisper, batch, {
        source,
        before: log.entries.flat(),
        random: makeSeededRandom(first),
        options,
        noiseHalver,
      }),
    );
    tell();
  }
}
