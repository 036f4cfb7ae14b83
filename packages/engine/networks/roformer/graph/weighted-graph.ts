import { type ElementType, GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";

/** Rows of a matrix `[outputs, inputs]`, end exclusive. */
export type Rows = { from: number; to: number };

/** An input of a graph that takes weights: a tensor as it is, or in int8 `[inputs, outputs]` and with its scale of each output. */
export type WeightPort = {
  /** Its name below the layer's. */
  tensor: string;
  form: "floats" | "bytes" | "scales";
  shape: readonly number[];
  rows?: Rows | undefined;
};

/** Matrix `[outputs, inputs]` and bias of a linear layer, by the names of their tensors. */
export type Product = { weight: string; outputs: number; bias?: string | undefined; rows?: Rows | undefined };

/**
 * A graph whose weights are inputs, so that all layers of a shape share one session: onnxruntime would copy constants into its own layout, and keep a pool
 * of threads for each of fifty sessions.
 */
export class WeightedGraph {
  readonly graph = new GraphBuilder();
  readonly ports: WeightPort[] = [];
  readonly #inBytes: boolean;
  /** Inputs that products in int8 share. */
  readonly #quantized = new Map<string, Value[]>();

  constructor(inBytes: boolean) {
    this.#inBytes = inBytes;
  }

  vector(tensor: string, size: number, rows?: Rows): Value {
    return this.#port({ tensor, form: "floats", shape: [size], rows });
  }

  /** In floats. */
  product(input: Value, { weight, outputs, bias, rows }: Product): Value {
    const { graph } = this;
    const matrix = this.#port({ tensor: weight, form: "floats", shape: [outputs, input.dims.at(-1)!], rows });
    const made = graph.contribNode("FusedMatMul", [input, matrix], input.dims.with(-1, outputs), {
      transB: 1,
    });
    return bias === undefined ? made : graph.add(made, this.vector(bias, outputs, rows));
  }

  /** In int8 where that is exact and faster: a scale for each output of the weights, one for the input. */
  largeProduct(input: Value, product: Product): Value {
    if (!this.#inBytes) return this.product(input, product);
    const { graph } = this;
    const { weight, outputs, bias, rows } = product;
    const [bytes, scale, zero] = this.#quantize(input);
    const matrix = this.#port({ tensor: weight, form: "bytes", shape: [input.dims.at(-1)!, outputs], rows });
    const scales = this.#port({ tensor: weight, form: "scales", shape: [outputs], rows });
    const inputs = [
      bytes!,
      matrix,
      scale!,
      scales,
      zero,
      undefined,
      bias === undefined ? undefined : this.vector(bias, outputs, rows),
    ];
    const [made] = graph.contribNodes("MatMulIntegerToFloat", inputs, [input.dims.with(-1, outputs)]);
    return made!;
  }

  /** Root mean square norm with a gain of each value; the originals' limit for silence is a norm of 1e-12. */
  norm(input: Value, tensor: string): Value {
    const size = input.dims.at(-1)!;
    return this.graph.node("SimplifiedLayerNormalization", [input, this.vector(tensor, size)], input.dims, {
      axis: input.dims.length - 1,
      epsilon: { float: NORM_MIN ** 2 / size },
    });
  }

  #quantize(input: Value): Value[] {
    const known = this.#quantized.get(input.name);
    if (known) return known;
    const made = this.graph.nodes("DynamicQuantizeLinear", [input], [input.dims, [], []]);
    this.#quantized.set(input.name, made);
    return made;
  }

  #port(port: WeightPort): Value {
    this.ports.push(port);
    const type: ElementType = port.form === "bytes" ? "int8" : "float32";
    return this.graph.input(`weight${this.ports.length}`, port.shape, type);
  }
}

const NORM_MIN = 1e-12;
