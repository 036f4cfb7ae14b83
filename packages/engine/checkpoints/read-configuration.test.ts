import { expect, it } from "vitest";
import { findBag, readConfiguration } from "./read-configuration.ts";

it("reads what training code writes: tuples as lists, merged defaults, YAML 1.1", () => {
  const text = `
audio: &audio
  chunk_size: 352800
model:
  freqs_per_bands: !!python/tuple
    - 2
    - 4
  dim: 384
  mask: yes
again:
  <<: *audio
`;
  expect(readConfiguration(text)).toEqual({
    audio: { chunk_size: 352_800 },
    model: { freqs_per_bands: [2, 4], dim: 384, mask: true },
    again: { chunk_size: 352_800 },
  });
});

it.each([
  ["a: !!python/object/apply:os.system ['ls']", "!!python/object/apply:os.system"],
  ["a: !!python/name:os.system ''", "!!python/name:os.system"],
  ["a: !<tag:yaml.org,2002:python/module:os> x", "!!python/module:os"],
  ["a: [1", "not valid YAML"],
  ["- 1", "not a list of settings"],
  ["", "not a list of settings"],
])("refuses %j", (text, sentence) => {
  expect(() => readConfiguration(text)).toThrow(sentence);
});

it("refuses aliases that double", () => {
  const lines = Array.from({ length: 30 }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}, *l${n}]`);
  expect(() => readConfiguration(["l0: &l0 [x]", ...lines].join("\n"))).toThrow("refers to itself too often");
});

it("recognises a bag of Demucs", () => {
  const bag = readConfiguration(
    "models: ['f7e0c4bc', 'd12395a8']\nweights: [[1., 0.], [0., 1.]]\nsegment: 44\n",
  );
  expect(findBag(bag)).toEqual({
    signatures: ["f7e0c4bc", "d12395a8"],
    weights: [
      [1, 0],
      [0, 1],
    ],
    segmentSeconds: 44,
  });
  expect(findBag({ model: { dim: 4 } })).toBeUndefined();
  expect(() => findBag({ models: ["../../etc/passwd"] })).toThrow("../../etc/passwd");
  expect(() => findBag({ models: ["a", "b"], weights: [[1]] })).toThrow("a row of numbers for each");
});
