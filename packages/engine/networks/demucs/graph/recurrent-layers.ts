import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import { linear, transposed } from "../../linear.ts";
import { biLstm } from "../../lstm.ts";
import { countModules, type DemucsGraph } from "./demucs-graph.ts";

/** A longer input is cut into windows of this many slots, half of which overlap. */
const WINDOW = 200;
const HOP = WINDOW / 2;

/** A bidirectional LSTM over `[1, channels, slots]` with a matrix behind it and a residual connection. */
export function recurrentLayers(scope: DemucsGraph, path: string, input: Value): Value {
  const { graph, weights } = scope;
  const [, channels, slots] = input.dims as [number, number, number];
  const windows = slots > WINDOW ? cutWindows(scope, input) : input;
  const [rows, , length] = windows.dims as [number, number, number];
  let value = graph.transpose(windows, [2, 0, 1]);
  const layers = countModules(weights, (layer) => `${path}.lstm.weight_ih_l${layer}`);
  for (let layer = 0; layer < layers; layer++) {
    const apart = biLstm(graph, weights, { name: `${path}.lstm`, layer, input: value });
    const hidden = apart.dims[3]!;
    value = graph.reshape(graph.transpose(apart, [0, 2, 1, 3]), [length, rows, 2 * hidden]);
  }
  const matrix = {
    weight: transposed(weights.get(`${path}.linear.weight`)),
    bias: weights.get(`${path}.linear.bias`),
  };
  const back = graph.transpose(linear(graph, value, matrix), [1, 2, 0]);
  return graph.add(
    slots > WINDOW ? joinWindows(scope, back, slots) : graph.reshape(back, [1, channels, slots]),
    input,
  );
}

/** `[1, channels, slots]` to `[windows, channels, WINDOW]`, silence behind the end. */
function cutWindows({ graph }: DemucsGraph, input: Value): Value {
  const [, channels, slots] = input.dims as [number, number, number];
  const windows = Math.ceil(slots / HOP);
  const padded = graph.node(
    "Pad",
    [input, graph.integers([0, 0, 0, 0, 0, (windows + 1) * HOP - slots])],
    [1, channels, (windows + 1) * HOP],
  );
  const halves = graph.transpose(graph.reshape(padded, [channels, windows + 1, HOP]), [1, 0, 2]);
  const [first, second] = [0, 1].map((from) => graph.slice(halves, { axis: 0, from, to: from + windows }));
  return graph.node("Concat", [first!, second!], [windows, channels, WINDOW], { axis: 2 });
}

/** Takes of each window its middle half, of the first and the last one also the outer part. */
function joinWindows({ graph }: DemucsGraph, windows: Value, slots: number): Value {
  const [count, channels] = windows.dims as [number, number, number];
  const margin = HOP / 2;
  const take = (rows: { from: number; to: number }, part: { from: number; to: number }) => {
    const taken = graph.slice(graph.slice(windows, { axis: 0, ...rows }), { axis: 2, ...part });
    const size = (rows.to - rows.from) * (part.to - part.from);
    return graph.reshape(graph.transpose(taken, [1, 0, 2]), [1, channels, size]);
  };
  const parts = [
    take({ from: 0, to: 1 }, { from: 0, to: margin }),
    take({ from: 0, to: count }, { from: margin, to: WINDOW - margin }),
    take({ from: count - 1, to: count }, { from: WINDOW - margin, to: WINDOW }),
  ];
  const joined = graph.node("Concat", parts, [1, channels, (count + 1) * HOP], { axis: 2 });
  return graph.slice(joined, { axis: 2, from: 0, to: slots });
}
