import type { GraphBuilder, Value } from "../../runtime/onnx/graph-builder.ts";
import { convolve } from "../convolve.ts";
import { linear, transposed } from "../linear.ts";
import { type NetworkPart, PartBuilder } from "../network-part.ts";
import type { WeightsByName } from "../weights-by-name.ts";
import type { Mdx23cConfig } from "./mdx23c-config.ts";

type Shape = readonly number[];
type Network = { weights: WeightsByName; config: Mdx23cConfig };
type Scope = Network & { graph: GraphBuilder };

const NORM_EPSILON = 1e-5;

/**
 * TFC-TDF v3 from the spectrum `[1, planes, slots, bins]` to those of the stems, `[1, stems × planes, slots, bins]`: a U-net of convolutions over time and
 * frequency, with matrices over all frequencies in each block. One graph for each level, because onnxruntime keeps the buffers of a graph's first layers
 * until its last.
 */
export function* buildMdx23cParts(network: Network, spectrum: Shape): Generator<NetworkPart> {
  const { weights } = network;
  let levels = 0;
  while (weights.has(`encoder_blocks.${levels}.downscale.conv.2.weight`)) levels += 1;
  const skips: Shape[] = [];
  let deepest: Shape = [];
  for (let level = 0; level < levels; level++) {
    const part = new PartBuilder(network);
    const input =
      level === 0
        ? readMix(part, part.input("spectrum", spectrum)).features
        : part.input(`down${level}`, deepest);
    const name = `encoder_blocks.${level}`;
    const skip = block(part, `${name}.tfc_tdf`, input);
    const lower = downscale(part, `${name}.downscale.conv`, skip);
    skips.push(skip.dims);
    deepest = lower.dims;
    part.output(`skip${level}`, skip);
    part.output(`down${level + 1}`, lower);
    yield part.build();
  }
  const bottom = new PartBuilder(network);
  bottom.output(`up${levels}`, block(bottom, "bottleneck_block", bottom.input(`down${levels}`, deepest)));
  yield bottom.build();
  for (let level = levels - 1; level >= 0; level--) {
    const part = new PartBuilder(network);
    const name = `decoder_blocks.${levels - 1 - level}`;
    const raised = upscale(part, `${name}.upscale.conv`, part.input(`up${level + 1}`, deepest));
    const skip = part.input(`skip${level}`, skips[level]!);
    const value = block(part, `${name}.tfc_tdf`, joinChannels(part, raised, skip));
    deepest = value.dims;
    if (level > 0) part.output(`up${level}`, value);
    else part.output("spectra", toSpectra(part, value, part.input("spectrum", spectrum)));
    yield part.build();
  }
}

/** Cuts the bins into subbands, stacked as channels. */
function readMix(scope: Scope, spectrum: Value): { mix: Value; features: Value } {
  const { graph, config } = scope;
  const { subbands } = config;
  const [, planes, slots, bins] = spectrum.dims as [number, number, number, number];
  const width = bins / subbands;
  const apart = graph.transpose(graph.reshape(spectrum, [planes, slots, subbands, width]), [0, 2, 1, 3]);
  const mix = graph.reshape(apart, [1, planes * subbands, slots, width]);
  return { mix, features: convolution(scope, "first_conv", mix) };
}

function toSpectra(scope: Scope, value: Value, spectrum: Value): Value {
  const { graph, config } = scope;
  const { subbands } = config;
  const { mix, features } = readMix(scope, spectrum);
  const joined = joinChannels(scope, mix, graph.mul(value, features));
  const active = activate(scope, convolution(scope, "final_conv.0", joined));
  const apart = convolution(scope, "final_conv.2", active);
  const [, channels, slots, width] = apart.dims as [number, number, number, number];
  const planes = channels / subbands;
  const turned = graph.transpose(graph.reshape(apart, [planes, subbands, slots, width]), [0, 2, 1, 3]);
  return graph.reshape(turned, [1, planes, slots, subbands * width]);
}

function joinChannels({ graph }: Scope, first: Value, second: Value): Value {
  return graph.node("Concat", [first, second], first.dims.with(1, first.dims[1]! + second.dims[1]!), {
    axis: 1,
  });
}

/** `tfc_tdf`: some residual blocks of convolution, matrices over the frequencies, convolution. */
function block(scope: Scope, name: string, input: Value): Value {
  const { graph, weights } = scope;
  let value = input;
  for (let index = 0; weights.has(`${name}.blocks.${index}.shortcut.weight`); index++) {
    const path = `${name}.blocks.${index}`;
    const shortcut = convolution(scope, `${path}.shortcut`, value);
    const first = convolution(scope, `${path}.tfc1.2`, normed(scope, `${path}.tfc1.0`, value));
    const narrow = multiply(scope, `${path}.tdf.2`, normed(scope, `${path}.tdf.0`, first));
    const wide = multiply(scope, `${path}.tdf.5`, normed(scope, `${path}.tdf.3`, narrow));
    const second = convolution(
      scope,
      `${path}.tfc2.2`,
      normed(scope, `${path}.tfc2.0`, graph.add(first, wide)),
    );
    value = graph.add(second, shortcut);
  }
  return value;
}

function multiply({ graph, weights }: Scope, name: string, input: Value): Value {
  return linear(graph, input, { weight: transposed(weights.get(`${name}.weight`)) });
}

/** The activation of a norm. */
function normed(scope: Scope, name: string, input: Value): Value {
  return activate(scope, norm(scope, name, input));
}

function norm({ graph, weights, config }: Scope, name: string, input: Value): Value {
  if (!weights.has(`${name}.weight`)) return input;
  const [scale, shift] = ["weight", "bias"].map((kind) => weights.get(`${name}.${kind}`).data);
  const [, channels, slots, width] = input.dims as [number, number, number, number];
  const epsilon = { epsilon: { float: NORM_EPSILON } };
  const constant = (data: Float32Array, dims: readonly number[] = [data.length]) =>
    graph.constant(data, dims);
  if (config.norm === "instance")
    return graph.node(
      "InstanceNormalization",
      [input, constant(scale!), constant(shift!)],
      input.dims,
      epsilon,
    );
  const groups = config.norm;
  const rows = graph.reshape(input, [1, groups, (channels / groups) * slots * width]);
  const plain = [1, 0].map((value) => constant(new Float32Array(groups).fill(value)));
  const flat = graph.node("InstanceNormalization", [rows, ...plain], rows.dims, epsilon);
  const scaled = graph.mul(graph.reshape(flat, input.dims), constant(scale!, [channels, 1, 1]));
  return graph.add(scaled, constant(shift!, [channels, 1, 1]));
}

function activate({ graph, config }: Scope, value: Value): Value {
  const { activation } = config;
  if (activation.kind === "gelu") return graph.gelu(value);
  if (activation.kind === "relu") return graph.node("Relu", [value], value.dims);
  return graph.node("Elu", [value], value.dims, { alpha: { float: activation.alpha } });
}

/** Without a bias, padded so that the size stays. */
function convolution({ graph, weights }: Scope, name: string, input: Value): Value {
  const weight = weights.get(`${name}.weight`);
  const margins = weight.dims.slice(2).map((size) => (size - 1) / 2);
  return convolve(graph, input, { weight, pads: [...margins, ...margins] });
}

function downscale(scope: Scope, name: string, input: Value): Value {
  const { graph, weights } = scope;
  const weight = weights.get(`${name}.2.weight`);
  return convolve(graph, normed(scope, `${name}.0`, input), { weight, strides: weight.dims.slice(2) });
}

/** A transposed convolution whose kernel is as long as its stride: a matrix to as many times the channels, which are spread over the plane. */
function upscale(scope: Scope, name: string, input: Value): Value {
  const { graph, weights } = scope;
  const { dims, data } = weights.get(`${name}.2.weight`);
  const [inputs, outputs, height, width] = dims as [number, number, number, number];
  const matrix = transposed({ dims: [inputs, outputs * height * width], data });
  const apart = convolve(graph, normed(scope, `${name}.0`, input), {
    weight: { dims: [...matrix.dims, 1, 1], data: matrix.data },
  });
  const [, , slots, bins] = apart.dims as [number, number, number, number];
  const planes = graph.reshape(apart, [outputs, height, width, slots, bins]);
  return graph.reshape(graph.transpose(planes, [0, 3, 1, 4, 2]), [1, outputs, slots * height, bins * width]);
}
