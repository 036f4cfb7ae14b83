import { readFileSync } from "node:fs";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { GraphSession } from "../../runtime/graph-session.ts";
import type { SpeechManifest, WeightsFile } from "../../runtime/model-manifest.ts";
import { withoutOutputs } from "../../runtime/onnx/without-outputs.ts";
import { getVerifiedWeightsPath } from "../../runtime/weights-file.ts";
import { splitDecoder } from "./split-decoder.ts";
import { WhisperTokenizer } from "./tokenizer.ts";
import { Whisper } from "./whisper.ts";
import { loadWhisperSettings } from "./whisper-settings.ts";

export async function loadWhisper(
  { id: manifestId, weights, timingHeads }: SpeechManifest,
  { cacheDir, ...options }: SessionOptions & { cacheDir?: string },
): Promise<Whisper> {
  const where = { manifestId, ...(cacheDir === undefined ? {} : { cacheDir }) };
  const read = (file: WeightsFile) => readFileSync(getVerifiedWeightsPath(file, where));
  const load = (graph: Uint8Array) => GraphSession.load(graph, { ...options, keepsMemory: true });
  const timingOutputs = timingHeads.map(([layer]) => `cross_attentions.${layer}`);
  const { decoder, vocabulary } = splitDecoder(
    read(weights.decoder),
    (output) => !output.includes("attentions.") || timingOutputs.includes(output),
  );
  return new Whisper({
    encoder: await load(
      withoutOutputs(read(weights.encoder), (output) => !output.startsWith("encoder_attentions.")),
    ),
    decoder: await load(decoder),
    vocabulary: await load(vocabulary),
    tokenizer: WhisperTokenizer.load(getVerifiedWeightsPath(weights.tokenizer, where)),
    timingHeads,
    settings: loadWhisperSettings(getVerifiedWeightsPath(weights.settings, where)),
  });
}
