import { hasExactByteProducts } from "../../runtime/byte-products.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { NetworkSession } from "../../runtime/network-session.ts";
import type { OnnxWeights } from "../../runtime/onnx/onnx-weights.ts";
import { buildDecoder, buildEncoder, buildTransformer, type GraphPart } from "./graph/build-parts.ts";

type Shape = readonly number[];

/** How far a segment is when a graph has run, by their share of the time. */
const DONE_AFTER = [0.13, 0.2, 0.65, 0.89, 1];

/**
 * The network's graphs, wired to each other: two encoders, the transformer between them, two decoders. The graph in the weights'
 * file is not run; the same network is written anew from its weights, for half the time and memory (docs/decisions/0021-htdemucs-written-anew.md).
 */
export class HybridNetwork {
  readonly waveformIn: Float32Array;
  readonly spectrumIn: Float32Array;
  readonly waveformOut: Float32Array;
  readonly spectrumOut: Float32Array;
  readonly runsOn: string;
  readonly #sessions: readonly NetworkSession[];

  private constructor(
    parts: Record<"down" | "downT" | "middle" | "up" | "upT", LoadedPart>,
    { inBytes }: { inBytes: boolean },
  ) {
    const { down, downT, middle, up, upT } = parts;
    this.spectrumIn = down.inputs[0]!;
    this.waveformIn = downT.inputs[0]!;
    this.spectrumOut = up.outputs[0]!;
    this.waveformOut = upT.outputs[0]!;
    this.runsOn = `${down.session.executionProvider}${inBytes ? " in bytes" : ""}`;
    this.#sessions = [down, downT, middle, up, upT].map((part) => part.session);
  }

  static async load(
    weights: OnnxWeights,
    options: SessionOptions,
    shapes: { waveform: Shape; spectrum: Shape },
  ): Promise<HybridNetwork> {
    const { waveform, spectrum } = shapes;
    const down = await loadPart(buildEncoder(weights, "encoder", spectrum), options);
    const downT = await loadPart(buildEncoder(weights, "tencoder", waveform), options);
    const [bottom, bottomT] = [down, downT].map((part) => ({
      shape: part.outputShapes.at(-1)!,
      data: part.outputs.at(-1)!,
    }));
    // Other providers have no products of bytes.
    const inBytes =
      down.session.executionProvider === "cpu" && (options.inBytes ?? (await hasExactByteProducts()));
    const middle = await loadPart(
      buildTransformer(weights, { spectrum: bottom!.shape, waveform: bottomT!.shape, inBytes }),
      options,
      [bottom!.data, bottomT!.data],
    );
    const decoderShapes = { input: spectrum, encoded: down.outputShapes };
    const up = await loadPart(buildDecoder(weights, "decoder", decoderShapes), options, [
      middle.outputs[0]!,
      ...down.outputs.toReversed(),
    ]);
    const decoderShapesT = { input: waveform, encoded: downT.outputShapes };
    const upT = await loadPart(buildDecoder(weights, "tdecoder", decoderShapesT), options, [
      middle.outputs[1]!,
      ...downT.outputs.toReversed(),
    ]);
    return new HybridNetwork({ down, downT, middle, up, upT }, { inBytes });
  }

  /** From what the two inputs hold to what the two outputs hold. */
  async run(onProgress?: (fraction: number) => void): Promise<void> {
    for (const [index, session] of this.#sessions.entries()) {
      await session.run();
      onProgress?.(DONE_AFTER[index] ?? 1);
    }
  }
}

type LoadedPart = {
  session: NetworkSession;
  inputs: Float32Array[];
  outputs: Float32Array[];
  outputShapes: Shape[];
};

/** With the buffers that it reads from, where other parts write them. */
async function loadPart(
  part: GraphPart,
  options: SessionOptions,
  inputs: readonly Float32Array[] = [],
): Promise<LoadedPart> {
  const session = await NetworkSession.load(part.file, options);
  return {
    session,
    inputs: part.inputs.map((shape, index) => session.getInput(index, shape, inputs[index]).data),
    outputs: part.outputs.map((shape, index) => session.getOutput(index, shape).data),
    outputShapes: part.outputs,
  };
}
