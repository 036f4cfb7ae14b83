import type { GraphBuilder, Value } from "../../../runtime/onnx/graph-builder.ts";

const BASE = 10_000;

/** Rotary position embedding: rotates each pair of a head's values by an angle proportional to the position, so attention depends on distances. */
export type Rotation = { start: Value; cosine: Value; sine: Value };

export function makeRotation(graph: GraphBuilder, length: number, headSize: number): Rotation {
  const pairs = headSize / 2;
  const table = (wave: (angle: number) => number) =>
    graph.constant(
      Float32Array.from({ length: length * pairs }, (_, at) =>
        wave(Math.floor(at / pairs) * BASE ** (-(at % pairs) / pairs)),
      ),
      [length, pairs],
    );
  return { start: graph.integers([0]), cosine: table(Math.cos), sine: table(Math.sin) };
}

export function rotate(graph: GraphBuilder, tokens: Value, { start, cosine, sine }: Rotation): Value {
  return graph.contribNode("RotaryEmbedding", [tokens, start, cosine, sine], tokens.dims);
}
