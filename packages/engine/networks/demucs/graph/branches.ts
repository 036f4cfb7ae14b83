import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import { planLayers } from "../demucs-config.ts";
import { countModules, type DemucsGraph } from "./demucs-graph.ts";
import { decoderLayer, encoderLayer } from "./layers.ts";

export type Branch = "spectrum" | "waveform";
const ENCODERS = { spectrum: "encoder", waveform: "tencoder" } as const;
const DECODERS = { spectrum: "decoder", waveform: "tdecoder" } as const;

export function countLayers({ weights }: Pick<DemucsGraph, "weights">, branch: Branch): number {
  return countModules(weights, (index) => `${ENCODERS[branch]}.${index}.conv.weight`);
}

export function planBranches(scope: Pick<DemucsGraph, "weights" | "config">) {
  return planLayers(scope.config, countLayers(scope, "spectrum"));
}

/** The outputs of a branch's encoder layers. `joins` is the last one of the waveform's if it joins the spectrum's. */
export function encodeBranch(
  scope: DemucsGraph,
  branch: Branch,
  { input, joins }: { input: Value; joins?: Value | undefined },
): Value[] {
  const plans = planBranches(scope);
  const outputs: Value[] = [];
  let value = input;
  for (const [index, plan] of plans[branch].entries()) {
    const isJoint = branch === "spectrum" && plans.waveform[index]?.isEmpty;
    const layer = { plan, input: value, joins: isJoint ? joins : undefined };
    value = encoderLayer(scope, `${ENCODERS[branch]}.${index}`, layer);
    if (branch === "spectrum" && index === 0 && scope.weights.has(FREQUENCY_CODE))
      value = addFrequencyCode(scope, value);
    outputs.push(value);
  }
  return outputs;
}

/**
 * From the outputs of the encoder layers and `middle`: the transformer's output or, for the waveform, what the spectrum's decoder had where the branches
 * part. `lengths` are those of the encoder layers' inputs.
 */
export function decodeBranch(
  scope: DemucsGraph,
  branch: Branch,
  work: { middle: Value | undefined; encoded: readonly Value[]; lengths: readonly number[] },
): { output: Value; parting: Value | undefined } {
  const plans = planBranches(scope);
  const { middle, encoded, lengths } = work;
  let value = middle;
  let parting: Value | undefined;
  for (const [index, plan] of plans[branch].toReversed().entries()) {
    const level = plans[branch].length - 1 - index;
    const skip = plan.isEmpty ? {} : { skip: encoded[level]! };
    const layer = { plan, input: value, ...skip, length: lengths[level]!, isLast: level === 0 };
    const decoded = decoderLayer(scope, `${DECODERS[branch]}.${index}`, layer);
    value = decoded.value;
    if (branch === "spectrum" && plans.waveform[level]?.isEmpty) parting = decoded.narrow;
  }
  return { output: value!, parting };
}

const FREQUENCY_CODE = "freq_emb.embedding.weight";

/** Frequency embedding: the first layer's convolutions see a few bins at a time and can't know where in the spectrum they are. */
function addFrequencyCode({ graph, weights, config }: DemucsGraph, value: Value): Value {
  const { dims, data } = weights.get(FREQUENCY_CODE);
  const [bins, channels] = dims as [number, number];
  const { embeddingGain, embeddingScale } = config;
  const code = new Float32Array(data.length);
  for (let bin = 0; bin < bins; bin++) {
    for (let channel = 0; channel < channels; channel++)
      code[channel * bins + bin] =
        Math.fround(data[bin * channels + channel]! * embeddingScale) * embeddingGain;
  }
  return graph.add(value, graph.constant(code, [1, channels, bins, 1]));
}
