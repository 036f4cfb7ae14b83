import { describe, expect, it } from "vitest";
import { KernelShelf, NETWORK_STOPBAND_DB } from "./polyphase-kernel.ts";

describe("KernelShelf", () => {
  it("returns the same kernel for the same rates and stopband", () => {
    const shelf = new KernelShelf(1e9);
    const rates = { fromHz: 48_000, toHz: 44_100 };
    const kernel = shelf.get(rates);
    expect(shelf.get({ ...rates })).toBe(kernel);
    expect(shelf.get({ fromHz: 44_100, toHz: 48_000 })).not.toBe(kernel);
    expect(shelf.get({ ...rates, stopbandDb: NETWORK_STOPBAND_DB })).not.toBe(kernel);
  });

  it("keeps the most recently used ones, up to its size in bytes", () => {
    const sizeOf = (fromHz: number) =>
      new KernelShelf(0).get({ fromHz, toHz: 44_100 }).convolver.coefficients.byteLength;
    const shelf = new KernelShelf(sizeOf(8000) + sizeOf(32_000));
    const get = (fromHz: number) => shelf.get({ fromHz, toHz: 44_100 });
    const [low, high] = [get(8000), get(32_000)];
    expect(get(8000)).toBe(low);
    get(22_050);
    expect(get(8000)).toBe(low);
    expect(get(32_000)).not.toBe(high);
  });

  it("returns a kernel larger than the cache", () => {
    expect(new KernelShelf(0).get({ fromHz: 8000, toHz: 44_100 }).phases).toBe(441);
  });
});
