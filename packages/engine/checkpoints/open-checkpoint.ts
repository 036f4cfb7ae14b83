import type { ByteSource } from "./byte-source.ts";
import { CheckpointError } from "./checkpoint-error.ts";
import { type CheckpointState, findPrefix, findState, refuseAdapters } from "./checkpoint-state.ts";
import { listSafetensors } from "./list-safetensors.ts";
import { type GraphPort, openOnnx } from "./onnx-file.ts";
import { countElements } from "./tensor-type.ts";
import { openLegacyTorch, openTorchZip } from "./torch-file.ts";

export type OpenCheckpoint = CheckpointState & {
  container: "torch" | "legacy-torch" | "safetensors" | "onnx";
  /** Of an ONNX file. */
  graph?: { inputs: GraphPort[]; outputs: GraphPort[] };
};

const HEAD_BYTES = 16;
/** Beside one number for each byte of the file: tensors of no size, and some that share their numbers. */
const SPARE_ELEMENTS = 1_000_000;

/** Recognises the container by its first bytes: the suffix says nothing. Reads the list of tensors, not their numbers. */
export function openCheckpoint(source: ByteSource): OpenCheckpoint {
  if (source.sizeBytes < HEAD_BYTES)
    throw new CheckpointError("damaged", `The file has ${source.sizeBytes} bytes, too few for a network.`);
  const opened = openByHead(source);
  if (opened.tensors.length === 0) throw new CheckpointError("unsupported", "The file has no tensors.");
  const elements = opened.tensors.reduce((sum, { shape }) => sum + countElements(shape), 0);
  if (elements > source.sizeBytes + SPARE_ELEMENTS)
    throw new CheckpointError(
      "too-large",
      `The file has ${source.sizeBytes} bytes, but its tensors would have ${elements} numbers.`,
    );
  refuseDoubles(opened);
  return opened;
}

function openByHead(source: ByteSource): OpenCheckpoint {
  const head = source.read(0, HEAD_BYTES);
  const starts = (...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);
  if (starts(0x50, 0x4b)) return { container: "torch", ...findState(openTorchZip(source)) };
  if (starts(0x80, 0x02, 0x8a, 0x0a))
    return { container: "legacy-torch", ...findState(openLegacyTorch(source)) };
  if (head[8] === 0x7b) return { container: "safetensors", ...openSafe(source) };
  // ir_version, the first field of an ONNX file.
  if (starts(0x08) && (head[1] ?? 0) < 0x20) {
    const { tensors, inputs, outputs } = openOnnx(source);
    return { container: "onnx", tensors, attributes: {}, graph: { inputs, outputs } };
  }
  throw new CheckpointError("unsupported", explainHead(head));
}

function openSafe(source: ByteSource): CheckpointState {
  const tensors = listSafetensors(source);
  const names = tensors.map(({ name }) => name);
  refuseAdapters(names);
  const strip = findPrefix(names).length;
  return {
    tensors: tensors.map((tensor) => ({ ...tensor, name: tensor.name.slice(strip) })),
    attributes: {},
  };
}

function explainHead(head: Uint8Array): string {
  const text = new TextDecoder("latin1").decode(head);
  if (/^\s*(<!doctype|<html)/i.test(text))
    return "The file is a web page: the download did not give the checkpoint itself.";
  if (text.startsWith("version https://"))
    return "The file is a Git LFS pointer, not the checkpoint: download the file it stands for.";
  if (text.startsWith("\x80")) return "The file is a pickle, but not one that PyTorch wrote.";
  if (text.startsWith("GGUF")) return "The file is a GGUF file, the format of language models.";
  return "The file is no checkpoint: it is neither of PyTorch (.ckpt, .pt, .pth, .th, .bin), nor safetensors, nor ONNX.";
}

function refuseDoubles({ tensors }: OpenCheckpoint): void {
  const names = new Set<string>();
  for (const { name } of tensors) {
    if (names.has(name)) throw new CheckpointError("damaged", `The file has two tensors named ${name}.`);
    names.add(name);
  }
}
