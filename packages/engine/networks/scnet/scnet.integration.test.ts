import { join } from "node:path";
import { expect, it } from "vitest";
import { measureReference } from "../support/measure-reference.ts";
import { Scnet } from "./scnet.ts";

it.each(["scnet", "scnet-normalized", "scnet-masked"])(
  "%s gives the stems of the original implementation",
  async (name) => {
    const path = join(import.meta.dirname, "support", `${name}.json`);
    const agreementsDb = await measureReference(Scnet, path);
    expect(Math.min(...agreementsDb)).toBeGreaterThan(100);
  },
);
