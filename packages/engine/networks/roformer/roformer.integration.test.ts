import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { getStemFamily } from "../registry.ts";
import { separateWhole } from "../support/separate-whole.ts";
import { addVariant } from "./support/add-variant.ts";
import { makeReferenceSong } from "./support/reference-song.ts";
import { readReference, readVariants } from "./support/reference-variants.ts";

const EVERY = 127;

const folder = mkdtempSync(join(tmpdir(), "stemwright-roformer-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const song = makeReferenceSong();
const left = song[0] ?? new Float32Array();

function distanceDb(expected: Float32Array, actual: Float32Array): number {
  let [power, error] = [0, 0];
  expected.forEach((value, n) => {
    power += value ** 2;
    error += (value - (actual[n] ?? Number.NaN)) ** 2;
  });
  return 10 * Math.log10(power / error);
}

async function measureDistance(name: string, inBytes: boolean): Promise<number> {
  const { path, manifest } = addVariant(name, folder);
  const { network } = await getStemFamily(manifest).load(path, manifest, { threads: 2, inBytes });
  const stems = await separateWhole(network, manifest, manifest.channels === 1 ? [left, left] : song);
  const seen = stems.flatMap((planes) => planes.slice(0, manifest.channels));
  const kept = seen.map((plane) => plane.filter((_, n) => n % EVERY === 0));
  return distanceDb(readReference(name), Float32Array.from(kept.flatMap((plane) => [...plane])));
}

describe("a whole file in segments, against the original code with the same weights", () => {
  it.each([...readVariants().keys()])("%s in floats", async (name) => {
    expect(await measureDistance(name, false)).toBeGreaterThan(80);
  });

  it.each(["bs-one", "mel-one"])("%s in bytes", async (name) => {
    expect(await measureDistance(name, true)).toBeGreaterThan(35);
  });
});
