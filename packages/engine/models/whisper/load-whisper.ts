import { readFileSync } from "node:fs";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { GraphSession } from "../../runtime/graph-session.ts";
import type { SpeechManifest, WeightsFile } from "../../runtime/model-manifest.ts";
import { getVerifiedWeightsPath } from "../../runtime/weights-file.ts";
import { withoutOutputs } from "../../runtime/without-outputs.ts";
import { WhisperTokenizer } from "./tokenizer.ts";
import { Whisper } from "./whisper.ts";
import { loadWhisperSettings } from "./whisper-settings.ts";

export async function loadWhisper(
  { id: manifestId, weights, timingHeads }: SpeechManifest,
  { cacheDir, ...options }: SessionOptions & { cacheDir?: string },
): Promise<Whisper> {
  const where = { manifestId, ...(cacheDir === undefined ? {} : { cacheDir }) };
  const load = (file: WeightsFile, isKept: (output: string) => boolean) =>
    GraphSession.load(withoutOutputs(readFileSync(getVerifiedWeightsPath(file, where)), isKept), {
      ...options,
      keepsMemory: true,
    });
  return new Whisper({
    encoder: await load(weights.encoder, (output) => !output.startsWith("encoder_attentions.")),
    decoder: await load(weights.decoder, (output) => !output.startsWith("decoder_attentions.")),
    tokenizer: WhisperTokenizer.load(getVerifiedWeightsPath(weights.tokenizer, where)),
    timingHeads,
    settings: loadWhisperSettings(getVerifiedWeightsPath(weights.settings, where)),
  });
}
