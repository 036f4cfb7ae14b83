import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { hasExactByteProducts } from "./byte-products.ts";

const CPU_INFO = "/proc/cpuinfo";

it.runIf(existsSync(CPU_INFO))("int8 is exact where the CPU's flags say so", async () => {
  const flags = readFileSync(CPU_INFO, "utf8");
  const isExact = process.arch === "arm64" || /\b(avx512_vnni|avx_vnni)\b/.test(flags);
  expect(await hasExactByteProducts()).toBe(isExact);
});
