import { readFileSync, writeFileSync } from "node:fs";
import { MonoSource } from "../../dsp/mono-source.ts";
import { toSampleRate } from "../../dsp/resampled-source.ts";
import { EngineError } from "../../engine-error.ts";
import { SAMPLE_RATE_HZ } from "../../models/whisper/log-mel.ts";
import type { ModelManifest, StemManifest } from "../../runtime/model-manifest.ts";
import { parseTranscript } from "../../text/parse-transcript.ts";
import type { TimedText } from "../../text/timed-text.ts";
import { writeText } from "../../text/write-text.ts";
import type { TextTarget } from "../engine-request.ts";
import { finishTarget, type InputRun } from "../input-run.ts";
import type { SpeechPass } from "../plan-targets.ts";
import { openStem } from "../separate.ts";
import { type AlignmentWork, alignText } from "./align-text.ts";
import { transcribe } from "./transcribe.ts";

/** A second of the input in seconds of the machine, as measured; for the progress only. */
const SPEECH_SECONDS = 0.2;

export function weighSpeechPass({ targets }: SpeechPass): number {
  return SPEECH_SECONDS * listLanguages({ targets }).length;
}

/**
 * Writes down what is said, once for each language asked for, and makes every text target from it. Words are read from `vocals`, a
 * stem of the input, where it is given, and from the input itself otherwise.
 */
export async function runSpeechPass(
  run: InputRun,
  pass: SpeechPass,
  options: { manifests: readonly ModelManifest[]; vocals?: StemManifest },
): Promise<void> {
  const voiceActivity = options.manifests.find((manifest) => manifest.family === "silero-vad");
  if (voiceActivity === undefined) throw new EngineError("model-missing", "The voice detector is missing.");
  using stem = options.vocals && openStem(run, options.vocals, "vocals");
  const source = toSampleRate(new MonoSource(stem ?? run.input), {
    sampleRateHz: SAMPLE_RATE_HZ,
    isForListening: true,
  });
  const getWhisper = () => run.networks.getWhisper(pass.manifest);
  for (const language of listLanguages(pass)) {
    const spoken = await transcribe(run, {
      manifest: pass.manifest,
      voiceActivity,
      source,
      sourceName: stem ? "vocals" : "input",
      ...(language === undefined ? {} : { language }),
      onProgress: run.progress.makeStage(SPEECH_SECONDS),
    });
    for (const target of pass.targets.filter((candidate) => candidate.language === language)) {
      await finishTarget(run, target, async () =>
        writeFiles(target, await makeText(target, { spoken, source, getWhisper })),
      );
    }
  }
}

/** What was said, or the given text laid over it. */
async function makeText(target: TextTarget, heard: Omit<AlignmentWork, "text">): Promise<TimedText> {
  if (target.transcriptPath === undefined) return heard.spoken;
  return alignText({ ...heard, text: parseTranscript(readFileSync(target.transcriptPath)) });
}

function listLanguages({ targets }: Pick<SpeechPass, "targets">): (string | undefined)[] {
  return [...new Set(targets.map(({ language }) => language))];
}

function writeFiles(target: TextTarget, text: TimedText): void {
  for (const { format, path } of target.files) writeFileSync(path, writeText(text, format));
}
