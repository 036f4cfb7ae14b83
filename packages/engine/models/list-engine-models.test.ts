import { expect, it } from "vitest";
import { listEngineModels } from "./list-engine-models.ts";

it("lists the catalogue models that htdemucs makes, with the licence of its weights", () => {
  const models = listEngineModels();
  expect(models.map(({ id }) => id)).toEqual(["vocals", "instrumental", "drums", "bass", "other"]);
  for (const model of models) {
    expect(model.variants).toEqual([]);
    expect(model.weights.licence).toMatch(/research and personal use/);
  }
});
