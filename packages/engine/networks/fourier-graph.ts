import { makeStftWindows, type StftShape } from "../dsp/transforms/stft-windows.ts";
import type { GraphBuilder, Value } from "../runtime/onnx/graph-builder.ts";

/**
 * The STFT as matrix products within a graph: for execution providers that multiply matrices faster than a CPU thread transforms, and that would wait
 * for a transform outside the graph.
 */
export type GraphTransform = StftShape & { binCount: number };

/** `[rows, frames]` to `[rows, slots, 2 × bins]`, real parts first. */
export function analyseInGraph(graph: GraphBuilder, signal: Value, transform: GraphTransform): Value {
  const { fftSize, hopFrames, binCount } = transform;
  const [rows, frames] = signal.dims as [number, number];
  const overlap = fftSize / hopFrames;
  const hops = frames / hopFrames;
  const slots = hops - overlap + 1;
  const byHop = graph.reshape(signal, [rows, hops, hopFrames]);
  const shifted = Array.from({ length: overlap }, (_, k) =>
    graph.slice(byHop, { axis: 1, from: k, to: k + slots }),
  );
  const grains = graph.node("Concat", shifted, [rows, slots, fftSize], { axis: 2 });
  const matrix = graph.constant(makeAnalysisMatrix(transform), [fftSize, 2 * binCount]);
  return graph.node("MatMul", [grains, matrix], [rows, slots, 2 * binCount]);
}

/** The inverse, to `[rows, frames]`, as `Stft.inverse` defines it. */
export function synthesiseInGraph(graph: GraphBuilder, spectrum: Value, transform: GraphTransform): Value {
  const { fftSize, hopFrames, binCount } = transform;
  const [rows, slots] = spectrum.dims as [number, number];
  const overlap = fftSize / hopFrames;
  const hops = slots + overlap - 1;
  const matrix = graph.constant(makeSynthesisMatrix(transform), [2 * binCount, fftSize]);
  const grains = graph.node("MatMul", [spectrum, matrix], [rows, slots, fftSize]);
  const sum = Array.from({ length: overlap }, (_, k) => {
    const part = graph.slice(grains, { axis: 2, from: k * hopFrames, to: (k + 1) * hopFrames });
    return graph.node(
      "Pad",
      [part, graph.integers([0, k, 0, 0, overlap - 1 - k, 0])],
      [rows, hops, hopFrames],
    );
  }).reduce((a, b) => graph.add(a, b));
  return graph.reshape(sum, [rows, hops * hopFrames]);
}

/** Tables of `cos(2π·m / size)` and sine, indexed by `k·n` modulo the size: no rounding of large products. */
function makeWaves(size: number): { cosine: Float64Array; sine: Float64Array } {
  const turn = (2 * Math.PI) / size;
  return {
    cosine: Float64Array.from({ length: size }, (_, at) => Math.cos(turn * at)),
    sine: Float64Array.from({ length: size }, (_, at) => Math.sin(turn * at)),
  };
}

function makeAnalysisMatrix({ binCount, ...shape }: GraphTransform): Float32Array {
  const { fftSize } = shape;
  const { analysis } = makeStftWindows(shape);
  const { cosine, sine } = makeWaves(fftSize);
  const matrix = new Float32Array(fftSize * 2 * binCount);
  for (let n = 0; n < fftSize; n++) {
    const row = n * 2 * binCount;
    for (let bin = 0; bin < binCount; bin++) {
      const at = (bin * n) % fftSize;
      matrix[row + bin] = analysis[n]! * cosine[at]!;
      matrix[row + binCount + bin] = -analysis[n]! * sine[at]!;
    }
  }
  return matrix;
}

function makeSynthesisMatrix({ binCount, ...shape }: GraphTransform): Float32Array {
  const { fftSize } = shape;
  const { synthesis } = makeStftWindows(shape);
  const { cosine, sine } = makeWaves(fftSize);
  const matrix = new Float32Array(2 * binCount * fftSize);
  for (let bin = 0; bin < binCount; bin++) {
    // All bins but the first and the last also stand for their mirror images.
    const weight = bin === 0 || bin === fftSize / 2 ? 1 : 2;
    for (let n = 0; n < fftSize; n++) {
      const at = (bin * n) % fftSize;
      matrix[bin * fftSize + n] = weight * synthesis[n]! * cosine[at]!;
      matrix[(binCount + bin) * fftSize + n] = -weight * synthesis[n]! * sine[at]!;
    }
  }
  return matrix;
}
