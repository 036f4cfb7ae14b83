import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameBlocks } from "./frame-blocks.ts";

describe("FrameBlocks", () => {
  it("returns every sample in order, in blocks of one size and a shorter remainder", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { maxLength: 20 }),
        fc.integer({ min: 1, max: 17 }),
        (lengths, size) => {
          const blocks = new FrameBlocks(size);
          const seen: number[] = [];
          let next = 0;
          for (const length of lengths) {
            const pushed = Float32Array.from({ length }, () => next++);
            for (const block of blocks.push(pushed)) {
              expect(block.length).toBe(size);
              seen.push(...block);
            }
          }
          const rest = blocks.takeRest();
          expect(rest.length).toBeLessThan(size);
          expect([...seen, ...rest]).toEqual(Array.from({ length: next }, (_, i) => i));
        },
      ),
    );
  });
});
