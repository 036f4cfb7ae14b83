import { describe, expect, it } from "vitest";
import type { FileTensor } from "./file-tensor.ts";
import { readBlocks, widenBlock } from "./file-tensor.ts";
import { openCheckpoint } from "./open-checkpoint.ts";
import { makeMemorySource, readTorchFile } from "./support/memory-source.ts";
import { concatenate, pickle, tensorOf, writeTorchZip, writeZip } from "./support/write-torch-file.ts";

const open = (bytes: Uint8Array) => openCheckpoint(makeMemorySource(bytes));
const valuesOf = (tensor: FileTensor) =>
  [...readBlocks(tensor)].flatMap((block) => [...widenBlock(block, tensor.dtype)]);
const readAll = (bytes: Uint8Array) =>
  Object.fromEntries(open(bytes).tensors.map((tensor) => [tensor.name, valuesOf(tensor)]));

const LINEAR = { weight: [0, 1, 2, 3, 4, 5], bias: [0, 1] };
const EXPECTED = JSON.parse(readTorchFile("expected.json").toString()) as Record<string, number[]>;
const STRIPPED = Object.fromEntries(
  Object.entries(EXPECTED).map(([name, values]) => [name.replace("module.", ""), values]),
);

describe("files of PyTorch", () => {
  it.each(["plain.pt", "legacy.pth", "protocol4.pt"])(
    "%s: every type of number, transposed, cut, repeated and empty tensors",
    (name) => {
      const read = readAll(readTorchFile(name));
      expect(Object.keys(read)).toEqual(Object.keys(STRIPPED));
      for (const [tensor, values] of Object.entries(STRIPPED))
        expect([tensor, read[tensor]]).toEqual([tensor, values]);
    },
  );

  it.each(["parameters.pt", "with_parameters.pt", "lightning.ckpt", "training.ckpt", "demucs.th"])(
    "%s: the weights are found in their wrapper, and nothing of the optimizer",
    (name) => {
      expect(readAll(readTorchFile(name))).toEqual(LINEAR);
    },
  );

  it("tells what a Demucs package says of its class, and settings beside the weights", () => {
    expect(open(readTorchFile("demucs.th")).packaged).toEqual({
      klass: "demucs.htdemucs.HTDemucs",
      args: [["drums", "bass"]],
      kwargs: { segment: 7.8, depth: 4, sources: ["drums", "bass"] },
    });
    expect(open(readTorchFile("lightning.ckpt")).attributes).toMatchObject({
      hyper_parameters: { dim: 4, names: ["a", "b"] },
    });
    expect(open(readTorchFile("training.ckpt")).attributes).toMatchObject({
      epoch: 3,
      all_metrics: { sdr: [1, 2] },
    });
  });

  it.each([
    ["evil.pt", "posix.system, which is refused"],
    ["module.pt", "torch.nn.modules.linear.Linear, which is refused"],
    ["lora.pt", "is a LoRA adapter"],
    ["diffq.th", "quantized with DiffQ"],
    ["sparse.pt", "a kind that no separation network uses"],
    ["single.pt", "a single tensor"],
    ["script.pt", "a TorchScript program"],
  ])("%s is refused by name", (name, sentence) => {
    expect(() => open(readTorchFile(name))).toThrow(sentence);
  });
});

const VALUES = Float32Array.of(1, 2, 3, 4, 5, 6);
const withTensor = (tensor: Uint8Array) => pickle.document(pickle.dict(pickle.text("w"), tensor));

describe("archives", () => {
  const document = withTensor(tensorOf("0", 6, { shape: [2, 3] }));

  it.each([false, true])("are read with ZIP64 sizes: %s", (isZip64) => {
    expect(readAll(writeTorchZip(document, { 0: VALUES }, { isZip64 }))).toEqual({ w: [...VALUES] });
  });

  it.each([
    [
      "has something else in it",
      writeZip([{ name: "song.mp3", bytes: VALUES }] as never),
      "not one that PyTorch wrote",
    ],
    ["is compressed", writeZip([{ name: "a/data.pkl", bytes: document, method: 8 }]), "is compressed"],
    ["lacks a storage", writeTorchZip(document), 'lacks the numbers "0"'],
    ["has a short storage", writeTorchZip(document, { 0: VALUES.subarray(1) }), "20 of 24 bytes"],
  ])("one that %s is refused", (_, bytes, sentence) => {
    expect(() => open(bytes)).toThrow(sentence);
  });
});

describe("tensors that don't add up", () => {
  it.each([
    ["past its storage", { shape: [2, 3], offset: 1 }, "needs 28 bytes, but its storage has 24"],
    ["with a stride too many", { shape: [2], strides: [1, 1] }, "has 2 strides"],
    ["with strides past the end", { shape: [2, 3], strides: [10, 1] }, "needs 52 bytes"],
    ["of a negative size", { shape: [-1, 3] }, "a size of -1"],
    ["with a negative offset", { shape: [3], offset: -1 }, "a size of -1"],
    ["of 10¹⁸ repeated numbers", { shape: [1e9, 1e9], strides: [0, 0] }, "[1000000000, 1000000000] needs"],
    ["of 10⁹ repeated numbers", { shape: [1e9], strides: [0] }, "its tensors would have 1000000000 numbers"],
    ["of an unknown type", { shape: [1], type: "QInt8Storage" }, "the type torch.QInt8Storage"],
  ])("one %s is refused", (_, tensor, sentence) => {
    expect(() => open(writeTorchZip(withTensor(tensorOf("0", 6, tensor)), { 0: VALUES }))).toThrow(sentence);
  });

  it("weights by a name twice are those of the last", () => {
    const tensor = tensorOf("0", 6, { shape: [6] });
    const wrapped = pickle.dict(pickle.text("model.w"), tensor, pickle.text("model.w"), tensor);
    expect(readAll(writeTorchZip(pickle.document(wrapped), { 0: VALUES }))).toEqual({ w: [...VALUES] });
  });
});

describe("pickles that are no list of tensors", () => {
  const deep = pickle.document(...Array.from({ length: 5000 }, () => "("));
  // A list that contains itself twice, as a setting beside the weights.
  const cyclic = concatenate("]", "q\x01", "h\x01a", "h\x01a");
  const doubling = concatenate(
    "]q\x00",
    ...Array.from({ length: 60 }, (_, n) => concatenate("0]q", n + 1, "(h", n, "h", n, "e")),
  );
  const beside = (setting: Uint8Array) =>
    pickle.document(
      pickle.dict(
        ...[pickle.text("setting"), setting],
        ...[pickle.text("state"), pickle.dict(pickle.text("w"), tensorOf("0", 6, { shape: [6] }))],
      ),
    );

  it.each([
    ["calls a function", pickle.document(pickle.call("builtins", "eval", pickle.text("1"))), "builtins.eval"],
    [
      "calls one by another way in",
      concatenate([0x80, 4], pickle.text("os"), pickle.text("system"), [0x93, 0x29, 0x81], "."),
      "os.system",
    ],
    ["makes an old-style object", pickle.document("(", pickle.text("ls"), "ios\nsystem\n"), "os.system"],
    ["has an extension code", pickle.document([0x82, 1]), "operation 0x82"],
    [
      "loads from bytes",
      pickle.document(pickle.call("torch.storage", "_load_from_bytes")),
      "torch.storage._load_from_bytes",
    ],
    ["is nested without end", deep, "nested too deeply"],
    ["ends early", concatenate([0x80, 2], "}"), "ends inside"],
    ["takes from an empty stack", pickle.document("00"), "can't be read"],
    ["refers to a missing part", pickle.document("h\x05"), "a missing part"],
    ["has a huge integer", concatenate([0x80, 2, 0x8b, 255, 255, 255, 127]), "an integer of"],
    ["is a number", pickle.document("K\x01"), "something else at its top"],
    ["has no tensors", pickle.document(pickle.dict(pickle.text("epoch"), "K\x01")), "At its top are: epoch"],
  ])("one that %s is refused", (_, document, sentence) => {
    expect(() => open(writeTorchZip(document))).toThrow(sentence);
  });

  it("a name or a key that doubles sixty times is refused", () => {
    const name = concatenate([0x80, 4], doubling, doubling, [0x93], ".");
    expect(() => open(writeTorchZip(name))).toThrow("something without a name");
    const key = pickle.document(pickle.dict(doubling, "K\x01"));
    expect(() => open(writeTorchZip(key))).toThrow("At its top are: …");
  });

  it.each([
    ["contains itself", cyclic],
    ["doubles sixty times", doubling],
  ])("a setting that %s is left out", (_, setting) => {
    const { attributes, tensors } = open(writeTorchZip(beside(setting), { 0: VALUES }));
    expect(tensors).toHaveLength(1);
    expect(JSON.stringify(attributes).length).toBeLessThan(100_000);
  });
});

describe("files that are no checkpoint", () => {
  it.each([
    ["<!DOCTYPE html><html>", "a web page"],
    ["version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"],
    ["GGUF is not for separation", "GGUF"],
    ["short", "5 bytes"],
    ["something else, of some length", "is no checkpoint"],
  ])("%j", (text, sentence) => {
    expect(() => open(new TextEncoder().encode(text))).toThrow(sentence);
  });
});
