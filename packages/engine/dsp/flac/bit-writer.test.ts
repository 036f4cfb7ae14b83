import fc from "fast-check";
import { expect, it } from "vitest";
import { BitWriter } from "./bit-writer.ts";

const toBits = (value: number, bits: number) => (bits === 0 ? "" : value.toString(2).padStart(bits, "0"));

/** Values below 2^`low` have no zeros before their bits, those above have up to a hundred. */
const riceCase = fc.integer({ min: 0, max: 24 }).chain((low) => {
  const value = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 2 ** low - 1 }));
  return fc.record({
    low: fc.constant(low),
    // Quotients that fit 31 bits with the value.
    values: fc.array(
      value.map(([quotient, rest]) => Math.min(quotient, 2 ** (31 - low) - 1) * 2 ** low + rest),
      { maxLength: 40 },
    ),
    headBits: fc.integer({ min: 0, max: 24 }),
  });
});

it("writes Rice codes after any number of bits, most significant bit first", () => {
  fc.assert(
    fc.property(riceCase, ({ low, values, headBits }) => {
      const head = 2 ** headBits - 1;
      const writer = new BitWriter(1000);
      writer.put(head, headBits);
      writer.putRice(Int32Array.from(values), { from: 0, to: values.length, low });
      writer.alignToByte();
      const bits = [
        toBits(head, headBits),
        ...values.map((value) => `${"0".repeat(value >>> low)}1${toBits(value % 2 ** low, low)}`),
      ].join("");
      const bytes = bits.match(/.{1,8}/g) ?? [];
      expect([...writer.view()]).toEqual(bytes.map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2)));
      expect(writer.lengthBytes).toBe(bytes.length);
    }),
  );
});
