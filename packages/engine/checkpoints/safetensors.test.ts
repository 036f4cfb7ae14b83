import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { SafeTensors } from "./safetensors.ts";
import { type NamedArray, writeArrays } from "./support/write-arrays.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-safetensors-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const VALUES: Record<string, Float32Array> = {
  "b.weight": Float32Array.of(1, -2.5, 3, 0.1, 5, 6),
  "a.bias": Float32Array.of(0.5, 65_504, -2),
};
const ARRAYS: NamedArray[] = [
  { name: "b.weight", shape: [2, 3], dtype: "F32" },
  { name: "a.bias", shape: [3], dtype: "F16" },
];
const read = (name: string) => VALUES[name] ?? new Float32Array();

it("reads what is stored by name, halves as floats", () => {
  const path = join(folder, "network.safetensors");
  writeArrays(path, ARRAYS, read);
  using file = new SafeTensors(path);
  expect(file.list()).toMatchObject([
    { name: "a.bias", shape: [3], dtype: "F16" },
    { name: "b.weight", shape: [2, 3], dtype: "F32" },
  ]);
  for (const { name } of ARRAYS) expect(file.read(name)).toEqual(read(name));
  expect(() => file.read("c")).toThrow("no tensor c");
});
