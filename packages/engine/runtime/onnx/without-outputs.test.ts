import { expect, it } from "vitest";
import { withoutOutputs } from "./without-outputs.ts";

const field = (number: number, ...content: (number | Uint8Array)[]) => {
  const bytes = content.flatMap((part) => (typeof part === "number" ? [part] : [...part]));
  return Uint8Array.of(number * 8 + 2, bytes.length, ...bytes);
};
const text = (value: string) => new TextEncoder().encode(value);
const output = (name: string) => field(12, field(1, text(name)));

it("drops outputs by name and leaves every other byte as it was", () => {
  const version = Uint8Array.of(8, 9);
  const node = field(1, text("a node"));
  const opset = field(8, 16, 17);
  const graph = (...outputs: Uint8Array[]) => field(7, node, ...outputs);
  const model = Buffer.concat([version, graph(output("keep"), output("drop.1"), output("drop.2")), opset]);
  expect(withoutOutputs(model, (name) => name === "keep")).toEqual(
    new Uint8Array(Buffer.concat([version, graph(output("keep")), opset])),
  );
  expect(withoutOutputs(model, () => true)).toEqual(new Uint8Array(model));
  expect(() => withoutOutputs(model.subarray(0, 3), () => true)).toThrow();
});
