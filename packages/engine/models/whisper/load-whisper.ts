import type { SessionOptions } from "../../runtime/create-session.ts";
import { GraphSession } from "../../runtime/graph-session.ts";
import type { SpeechManifest } from "../../runtime/model-manifest.ts";
import { getVerifiedWeightsPath } from "../../runtime/weights-file.ts";
import { WhisperTokenizer } from "./tokenizer.ts";
import { Whisper } from "./whisper.ts";
import { loadWhisperSettings } from "./whisper-settings.ts";

export async function loadWhisper(
  { id: manifestId, weights }: SpeechManifest,
  { cacheDir, ...session }: SessionOptions & { cacheDir?: string },
): Promise<Whisper> {
  const where = { manifestId, ...(cacheDir === undefined ? {} : { cacheDir }) };
  return new Whisper({
    encoder: await GraphSession.load(getVerifiedWeightsPath(weights.encoder, where), session),
    decoder: await GraphSession.load(getVerifiedWeightsPath(weights.decoder, where), session),
    tokenizer: WhisperTokenizer.load(getVerifiedWeightsPath(weights.tokenizer, where)),
    settings: loadWhisperSettings(getVerifiedWeightsPath(weights.settings, where)),
  });
}
