import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameSource } from "../../dsp/frame-source.ts";
import { MonoSource } from "../../dsp/mono-source.ts";
import { toSampleRate } from "../../dsp/resampled-source.ts";
import { EngineError } from "../../engine-error.ts";
import { SAMPLE_RATE_HZ } from "../../models/whisper/log-mel.ts";
import type {
  ModelManifest,
  SpeechManifest,
  StemManifest,
  VoiceActivityManifest,
} from "../../runtime/model-manifest.ts";
import { parseTranscript } from "../../text/parse-transcript.ts";
import type { TimedText } from "../../text/timed-text.ts";
import { writeText } from "../../text/write-text.ts";
import type { TextTarget } from "../engine-request.ts";
import { finishTarget, type InputRun, tryNetwork } from "../input-run.ts";
import { LineLog } from "../line-log.ts";
import type { SpeechPass } from "../plan-targets.ts";
import { openStem } from "../stem-pass.ts";
import { alignText } from "./align-text.ts";
import { listHearings } from "./hearings.ts";
import { placedWindowSchema } from "./place-words.ts";
import { transcribe } from "./transcribe.ts";

/** Raised whenever the same text and hearing would give other times. */
const LOG_VERSION = 2;

type Heard = { target: TextTarget; manifest: SpeechManifest; spoken: TimedText; source: FrameSource };

/**
 * Writes down what is said, once for each way it is to be listened to, and makes every text target from it. Words are read from `vocals`, a
 * stem of the input, where it is given, and from the input itself otherwise.
 */
export async function runSpeechPass(
  run: InputRun,
  pass: SpeechPass,
  options: { manifests: readonly ModelManifest[]; vocals?: StemManifest },
): Promise<void> {
  using stem = options.vocals && openStem(run, options.vocals, "vocals");
  const source = toSampleRate(new MonoSource(stem ?? run.input), {
    sampleRateHz: SAMPLE_RATE_HZ,
    isForListening: true,
  });
  for (const { wishes, targets } of listHearings(pass.targets)) {
    await tryNetwork(run, targets, async () => {
      const spoken = await transcribe(run, {
        manifest: pass.manifest,
        voiceActivity: getVoiceActivity(options.manifests),
        source,
        sourceName: stem ? "vocals" : "input",
        wishes,
      });
      for (const target of targets) {
        await finishTarget(run, target, async () => {
          writeFiles(target, await makeText(run, { target, manifest: pass.manifest, spoken, source }));
        });
      }
    });
  }
}

function getVoiceActivity(manifests: readonly ModelManifest[]): VoiceActivityManifest {
  const manifest = manifests.find((candidate) => candidate.family === "silero-vad");
  if (manifest === undefined) throw new EngineError("model-missing", "The voice detector is missing.");
  return manifest;
}

/** What was said, or the given text laid over it. */
async function makeText(run: InputRun, { target, manifest, spoken, source }: Heard): Promise<TimedText> {
  if (target.transcriptPath === undefined) return spoken;
  const text = parseTranscript(readFileSync(target.transcriptPath));
  const log = new LineLog(join(run.request.workDir, manifest.id, `text-${target.key}`), {
    identity: {
      version: LOG_VERSION,
      textSha256: createHash("sha256").update(text).digest("hex"),
      spokenSha256: createHash("sha256").update(JSON.stringify(spoken)).digest("hex"),
      inputSha256: run.decoded.sha256,
    },
    entrySchema: placedWindowSchema,
  });
  return alignText({ text, spoken, source, log, getWhisper: () => run.networks.getWhisper(manifest) });
}

function writeFiles(target: TextTarget, text: TimedText): void {
  for (const { format, path } of target.files) writeFileSync(path, writeText(text, format, target.cueLimits));
}
