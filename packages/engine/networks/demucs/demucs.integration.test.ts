import { join } from "node:path";
import { expect, it } from "vitest";
import { measureReference } from "../support/measure-reference.ts";
import { Demucs } from "./demucs.ts";

it.each(["htdemucs", "htdemucs-6s", "htdemucs-bag", "htdemucs-bare", "hdemucs", "hdemucs-old"])(
  "%s gives the stems of the original implementation",
  async (name) => {
    const path = join(import.meta.dirname, "support", `${name}.json`);
    const agreementsDb = await measureReference(Demucs, path);
    expect(Math.min(...agreementsDb)).toBeGreaterThan(100);
  },
);
