import { describe, expect, it } from "vitest";
import { getPolyphaseKernel, LISTENING_STOPBAND_DB } from "./polyphase-kernel.ts";

describe("getPolyphaseKernel", () => {
  it("gives the same kernel to all who ask for the same rates and stopband", () => {
    const rates = { fromHz: 48_000, toHz: 44_100 };
    const kernel = getPolyphaseKernel(rates);
    expect(getPolyphaseKernel({ ...rates })).toBe(kernel);
    expect(getPolyphaseKernel({ fromHz: 44_100, toHz: 48_000 })).not.toBe(kernel);
    expect(getPolyphaseKernel({ ...rates, stopbandDb: LISTENING_STOPBAND_DB })).not.toBe(kernel);
  });

  it("keeps few: those that were asked for last", () => {
    const get = (fromHz: number) => getPolyphaseKernel({ fromHz, toHz: 44_100 });
    const first = get(8000);
    const second = get(16_000);
    for (const fromHz of [22_050, 32_000]) get(fromHz);
    expect(get(8000)).toBe(first);
    get(88_200);
    expect(get(8000)).toBe(first);
    expect(get(16_000)).not.toBe(second);
  });
});
