import fc from "fast-check";
import { expect, it } from "vitest";
import { deinterleaveInto, interleave } from "./interleave.ts";

it("interleaving and deinterleaving restores 1 to 8 channels", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 50 }), (channels, lengthFrames) => {
      const planes = Array.from({ length: channels }, (_, channel) =>
        Float32Array.from({ length: lengthFrames }, (_, n) => 100 * channel + n),
      );
      const back = planes.map((plane) => new Float32Array(plane.length));
      deinterleaveInto(back, interleave(planes), 0);
      expect(back).toEqual(planes);
    }),
  );
});
