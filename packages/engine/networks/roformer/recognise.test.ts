import { describe, expect, it } from "vitest";
import type { TensorFacts } from "../../checkpoints/named-tensors.ts";
import { type Checkpoint, CheckpointRefused } from "../architecture.ts";
import { recogniseCheckpoint } from "../registry.ts";
import { readVariants, toCheckpoint } from "./support/reference-variants.ts";

const variants = readVariants();

function getCheckpoint(name: string): Checkpoint {
  const variant = variants.get(name);
  if (variant === undefined) throw new Error(`there is no variant ${name}`);
  return toCheckpoint(name, variant);
}

function withTensors(checkpoint: Checkpoint, ...added: [string, number[]][]): Checkpoint {
  const tensors = added.map(([name, shape]): TensorFacts => ({ name, shape, dtype: "F32" }));
  return { ...checkpoint, tensors: [...checkpoint.tensors, ...tensors] };
}

describe("a RoFormer's tensors", () => {
  it("are told apart by their norms, and its stems are the configuration's", () => {
    expect(recogniseCheckpoint(getCheckpoint("bs-one"))).toMatchObject({
      ...{ family: "bs-roformer", title: "BS-RoFormer", stems: ["vocals"], channels: 2 },
      ...{ segmentFrames: 132_300, chunking: { convention: "msst", overlapCount: 2 } },
    });
    expect(recogniseCheckpoint(getCheckpoint("mel-one"))).toMatchObject({ family: "mel-band-roformer" });
  });

  it("without a configuration, what weights don't say is assumed and told", () => {
    const { msst: _, ...bare } = getCheckpoint("mel-one");
    const { configuration, assumptions, sampleRateHz, stems } = recogniseCheckpoint(bare);
    expect({ ...configuration, sampleRateHz, stems }).toEqual({
      ...{ fftSize: 2048, hopFrames: 441, isNormalized: false, zeroDc: true, hasSkips: false },
      ...{ sampleRateHz: 44_100, stems: ["vocals"] },
    });
    expect(assumptions).toContain("the hop is 441 frames");
    expect(assumptions.join()).toContain("zero_dc");
  });

  it.each([
    ["mask_estimators.0.segm.backbone.weight", "HyperACE"],
    ["mask_estimators.0.layers.0.weight", "Large Inst v2"],
    ["mask_estimators.0.fno.weight", "FNO"],
    ["layers.0.0.layers.0.0.static_alpha", "hyper-connections"],
    ["pope.freqs", "PoPE"],
    ["layers.0.0.layers.0.0.something.weight", "no known variant"],
  ])("with %s are refused by name", (name, why) => {
    expect(() => recogniseCheckpoint(withTensors(getCheckpoint("bs-one"), [name, [4, 4]]))).toThrow(why);
  });

  it("of which one is missing or of another shape are refused", () => {
    const checkpoint = getCheckpoint("bs-one");
    const name = "layers.1.1.layers.0.1.net.4.bias";
    const rest = checkpoint.tensors.filter((tensor) => tensor.name !== name);
    expect(() => recogniseCheckpoint({ ...checkpoint, tensors: rest })).toThrow(name);
    const wrong = withTensors({ ...checkpoint, tensors: rest }, [name, [31]]);
    expect(() => recogniseCheckpoint(wrong)).toThrow("31, not 32");
  });

  it("with another network's configuration are refused", () => {
    const { msst } = getCheckpoint("mel-two");
    const change = () => recogniseCheckpoint({ ...getCheckpoint("mel-one"), msst: msst ?? {} });
    expect(change).toThrow(CheckpointRefused);
  });
});
