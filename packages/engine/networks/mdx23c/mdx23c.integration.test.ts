import { join } from "node:path";
import { expect, it } from "vitest";
import { measureReference } from "../support/measure-reference.ts";
import { Mdx23c } from "./mdx23c.ts";

it.each(["mdx23c", "mdx23c-target"])("%s gives the stems of the original implementation", async (name) => {
  const path = join(import.meta.dirname, "support", `${name}.json`);
  const agreementsDb = await measureReference(Mdx23c, path);
  expect(Math.min(...agreementsDb)).toBeGreaterThan(100);
});
