import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alignText } from "../alignment/align-text.ts";
import { alignedWindowSchema } from "../alignment/force-align.ts";
import { findTurns } from "../diarization/find-turns.ts";
import type { Turns } from "../diarization/turns.ts";
import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { MonoSource } from "../dsp/sources/mono-source.ts";
import { LineLog } from "../files/line-log.ts";
import type { Manifest, SpeechManifest, StemManifest } from "../manifests/manifest.ts";
import { getVoiceActivity } from "../networks/silero-vad/get-voice-activity.ts";
import type { SpeechNetworks } from "../networks/speech-networks.ts";
import type { StemNetworks } from "../networks/stem-network.ts";
import type { VoiceNetworks } from "../networks/voice-networks.ts";
import { SPEECH_RATE_HZ } from "../networks/whisper/log-mel.ts";
import { identifySource, openStem } from "../separation/pass-spools.ts";
import type { TextTarget, TranscriptionOptions } from "../targets/engine-request.ts";
import { delayText, findLeadSeconds } from "../targets/file-timeline.ts";
import type { OpenInput } from "../targets/open-input.ts";
import type { SpeechPass } from "../targets/plan-targets.ts";
import type { TargetOutcomes } from "../targets/target-outcomes.ts";
import { parseTranscript } from "../text/parse-transcript.ts";
import type { TimedText } from "../text/timed-text.ts";
import { writeText } from "../text/write-text.ts";
import { makeNoiseHalver } from "./halve-noise.ts";
import { labelSpeakers } from "./label-speakers.ts";
import { transcribe } from "./transcribe.ts";
import { groupTranscriptions } from "./transcription-groups.ts";

/** Increase when the same text and transcript would give different times. */
const LOG_VERSION = 4;
const VOCALS = "vocals";

type SpeechRun = {
  input: OpenInput;
  workDir: string;
  networks: SpeechNetworks & VoiceNetworks & StemNetworks;
  outcomes: TargetOutcomes;
  makeStage: (weight: number, options: TranscriptionOptions) => (fraction: number) => void;
};
type TextWork = {
  target: TextTarget;
  manifest: SpeechManifest;
  spoken: TimedText;
  source: FrameSource;
  sourceId: string;
};

/**
 * Transcribes the input once for each set of options, and makes every text target from it. The source is `vocals`, a stem of the input, if
 * given, and the input itself otherwise.
 */
export async function runSpeechPass(
  run: SpeechRun,
  pass: SpeechPass,
  { manifests, vocals }: { manifests: readonly Manifest[]; vocals: StemManifest | undefined },
): Promise<void> {
  using stem = vocals && openStem(run, vocals, VOCALS);
  const sourceId = identifySource(run, vocals, VOCALS);
  const source = toSampleRate(new MonoSource(stem ?? run.input.source), {
    sampleRateHz: SPEECH_RATE_HZ,
    isForNetwork: true,
  });
  const findTurnsOf = diarizeOnce(run.networks, source, manifests);
  const label = async (text: TimedText, { speakers, transcriptPath }: TextTarget) =>
    speakers === undefined
      ? text
      : labelSpeakers(text, await findTurnsOf(speakers), { keepsLines: transcriptPath !== undefined });
  for (const { options, targets } of groupTranscriptions(pass.targets)) {
    await run.outcomes.tryNetwork(targets, async () => {
      const makeStage = (weight: number) => run.makeStage(weight, options);
      const spoken = await transcribe(
        { ...run, makeStage },
        {
          manifest: pass.manifest,
          voiceActivity: getVoiceActivity(manifests),
          source,
          sourceName: stem ? VOCALS : "input",
          sourceId,
          options,
          // Not measured on stems.
          noiseHalver: stem ? undefined : makeNoiseHalver(run.networks, manifests, run.outcomes),
        },
      );
      for (const target of targets) {
        await run.outcomes.finish(target, async () => {
          const text = await makeText(run, { target, manifest: pass.manifest, spoken, source, sourceId });
          const labelled = await label(text, target);
          writeFiles(target, delayText(labelled, findLeadSeconds(target, run.input.info)));
        });
      }
    });
  }
}

/** Who speaks when: found once for each expected number of people. */
function diarizeOnce(networks: SpeechRun["networks"], source: FrameSource, manifests: readonly Manifest[]) {
  const turns = new Map<true | number, Promise<Turns>>();
  return (speakers: true | number): Promise<Turns> => {
    const expected = speakers === true ? {} : { voiceCount: speakers };
    const known =
      turns.get(speakers) ?? findTurns(networks, source, { manifests, expected, onProgress: () => {} });
    turns.set(speakers, known);
    return known;
  };
}

/** The transcript, or the given text aligned to it. */
async function makeText(
  run: Pick<SpeechRun, "input" | "workDir" | "networks">,
  { target, manifest, spoken, source, sourceId }: TextWork,
): Promise<TimedText> {
  if (target.transcriptPath === undefined) return spoken;
  const text = parseTranscript(readFileSync(target.transcriptPath));
  const log = new LineLog(join(run.workDir, manifest.id, `text-${target.key}`), {
    identity: {
      version: LOG_VERSION,
      textSha256: createHash("sha256").update(text).digest("hex"),
      spokenSha256: createHash("sha256").update(JSON.stringify(spoken)).digest("hex"),
      inputSha256: run.input.sha256,
      source: sourceId,
    },
    entrySchema: alignedWindowSchema,
  });
  return alignText({ text, spoken, source, log, getWhisper: () => run.networks.getWhisper(manifest) });
}

function writeFiles(target: TextTarget, text: TimedText): void {
  const { maxLineLength, maxLines, speakerNames } = target;
  const options = {
    ...(maxLineLength === undefined ? {} : { rowWidth: maxLineLength }),
    ...(maxLines === undefined ? {} : { rows: maxLines }),
    hasNames: speakerNames === true,
  };
  for (const { format, path } of target.files) writeFileSync(path, writeText(text, format, options));
}
