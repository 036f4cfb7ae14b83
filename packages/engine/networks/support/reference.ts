import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeArrays } from "../../checkpoints/support/write-arrays.ts";
import type { Weight } from "../../runtime/onnx/onnx-weights.ts";
import type { Checkpoint, DemucsPackage } from "../architecture.ts";

type DescribedTensor = [name: string, shape: number[], middle: number, reach: number, seed: number];

/** A file of `training/reference_outputs.py`. */
type ReferenceFile = {
  rate: number;
  length: number;
  every: number;
  kind?: string;
  members?: (DemucsPackage & { tensors: DescribedTensor[] })[];
  weights?: number[][];
  msst?: Record<string, unknown>;
  tensors?: DescribedTensor[];
  /** Of the graph of an MDX-Net. */
  shape?: number[];
  samples: string;
};

/** What an original implementation gave for audio and weights that a formula makes. */
export class Reference {
  readonly #file: ReferenceFile;
  readonly #tensors: DescribedTensor[];

  constructor(path: string) {
    this.#file = JSON.parse(readFileSync(path, "utf8"));
    const { members = [], tensors } = this.#file;
    const isBag = members.length > 1;
    this.#tensors =
      tensors ??
      members.flatMap(({ tensors: own }, index) =>
        own.map(([name, ...rest]): DescribedTensor => [isBag ? `${index}.${name}` : name, ...rest]),
      );
  }

  get sampleRateHz(): number {
    return this.#file.rate;
  }

  get checkpoint(): Checkpoint {
    const { members, weights, msst, shape } = this.#file;
    const packages = members?.map(({ className, options }) => ({ className, args: [], options }));
    return {
      fileName: "reference.ckpt",
      tensors: this.#tensors.map(([name, shape]) => ({ name, shape, dtype: "F32" })),
      read: (name) => this.#makeTensor(name),
      ...(msst && { msst }),
      ...(shape && { graph: { inputs: [{ name: "input", shape }], outputs: [{ name: "output", shape }] } }),
      ...(packages?.length === 1 && { demucs: packages[0]! }),
      ...(packages && packages.length > 1 && { bag: { members: packages, ...(weights && { weights }) } }),
    };
  }

  getWeight(name: string): Weight {
    const [, dims = []] = this.#tensors.find(([other]) => other === name) ?? [];
    return { dims, data: this.#makeTensor(name) };
  }

  /** Stores the weights as added networks have them; removed with what is returned. */
  store(): Disposable & { path: string } {
    const folder = mkdtempSync(join(tmpdir(), "stemwright-reference-"));
    const path = join(folder, "network.safetensors");
    const tensors = this.#tensors.map(([name, shape]) => ({ name, shape, dtype: "F32" as const }));
    writeArrays(path, tensors, (name) => this.#makeTensor(name));
    return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  }

  /** Swelling tones and noise, different in each channel. */
  makeAudio(): Float32Array[] {
    const { rate, length } = this.#file;
    return [0, 1].map((channel) => {
      const noise = makeNoise(1000 + channel, length);
      return Float32Array.from(noise, (value, n) => {
        const time = n / rate;
        const swell = 0.55 + 0.45 * Math.sin(2 * Math.PI * (0.31 + 0.07 * channel) * time);
        const tones = [97, 220, 341, 1130, 2750].reduce(
          (sum, pitch, at) =>
            sum + Math.sin(2 * Math.PI * pitch * time * (1 + 0.01 * time) + channel) / (1 + at),
          0,
        );
        return 0.12 * swell * tones + 0.02 * value;
      });
    });
  }

  /** Power of the original's samples over that of the difference, for each stem. */
  compare(stems: readonly Float32Array[][]): number[] {
    const { every, length } = this.#file;
    const expected = new Float32Array(Uint8Array.from(Buffer.from(this.#file.samples, "base64")).buffer);
    const kept = Math.ceil(length / every);
    if (expected.length !== kept * stems.flat().length)
      throw new RangeError("other stems than the original's");
    return stems.map((planes, stem) => {
      let power = 0;
      let error = 0;
      planes.forEach((plane, channel) => {
        const start = (stem * planes.length + channel) * kept;
        for (let n = 0; n < kept; n++) {
          power += expected[start + n]! ** 2;
          error += (expected[start + n]! - plane[n * every]!) ** 2;
        }
      });
      return 10 * Math.log10(power / error);
    });
  }

  #makeTensor(wanted: string): Float32Array {
    const found = this.#tensors.find(([name]) => name === wanted);
    if (found === undefined) throw new RangeError(`the reference has no tensor ${wanted}`);
    const [, shape, middle, reach, seed] = found;
    const noise = makeNoise(
      seed,
      shape.reduce((product, size) => product * size, 1),
    );
    return Float32Array.from(noise, (value) => middle + reach * value);
  }
}

/** Between −1 and 1: the bits of Murmur's finalizer for each counter. */
function makeNoise(seed: number, count: number): Float64Array {
  const start = Math.imul(seed, 0x9e3779b9);
  return Float64Array.from({ length: count }, (_, n) => {
    let bits = (start + n) >>> 0;
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 31 - 1;
  });
}
