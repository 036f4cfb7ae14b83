import { readFileSync } from "node:fs";
import type { SpeechManifest, WeightsFile } from "../../manifests/manifest.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { GraphSession } from "../../runtime/graph-session.ts";
import { getVerifiedWeightsPath } from "../../runtime/weights-file.ts";
import type { Decoder } from "./decoder-run.ts";
import { loadEncoder } from "./encoder.ts";
import { type AttentionHead, countLowerLayers, makeDecoderGraphs } from "./graph/decoder-graphs.ts";
import { TokenEmbedding } from "./graph/token-embedding.ts";
import { WhisperWeights } from "./graph/whisper-weights.ts";
import { WhisperTokenizer } from "./tokenizer.ts";
import { Whisper } from "./whisper.ts";
import { loadWhisperSettings } from "./whisper-settings.ts";

export async function loadWhisper(
  { id: manifestId, weights, timingHeads }: SpeechManifest,
  { cacheDir, ...options }: SessionOptions & { cacheDir?: string },
): Promise<Whisper> {
  const where = { manifestId, ...(cacheDir === undefined ? {} : { cacheDir }) };
  const read = (file: WeightsFile) => readFileSync(getVerifiedWeightsPath(file, where));
  const { encode, runsOn } = await loadEncoder(manifestId, read(weights.encoder), options);
  // A step of it is too small for a GPU: 3 ms on a CPU, 35 on an H200.
  const decoderOptions = { ...options, executionProvider: "cpu" } as const;
  return new Whisper({
    encode,
    runsOn,
    decoder: await loadDecoder(new WhisperWeights(read(weights.decoder)), timingHeads, decoderOptions),
    tokenizer: WhisperTokenizer.load(getVerifiedWeightsPath(weights.tokenizer, where)),
    settings: loadWhisperSettings(getVerifiedWeightsPath(weights.settings, where)),
  });
}

async function loadDecoder(
  weights: WhisperWeights,
  timingHeads: readonly AttentionHead[],
  options: SessionOptions,
): Promise<Decoder> {
  const { sound, lower, upper } = makeDecoderGraphs(weights, timingHeads);
  return {
    sound: await GraphSession.load(sound, options),
    lower: await GraphSession.load(lower, options),
    upper: await GraphSession.load(upper, options),
    embedding: new TokenEmbedding(weights),
    layers: weights.layers,
    lowerLayers: countLowerLayers(timingHeads),
    timingHeads: timingHeads.length,
  };
}
