import { describe, expect, it } from "vitest";
import { loadManifests, type Manifest } from "./manifest.ts";
import { listModelParts } from "./model-parts.ts";

const manifests = loadManifests();
const htdemucs = manifests.find(({ id }) => id === "htdemucs") as Manifest & { stems: string[] };
const network = (id: string, stems: string[], serves: object[], reads?: { network: string; stem: string }) =>
  ({ ...htdemucs, id, stems, serves, reads }) as unknown as Manifest;

const listParts = (of: readonly Manifest[]) =>
  new Map([...listModelParts(of).values()].flatMap((models) => [...models]));
const contains = (found: ReturnType<typeof listParts>, outer: string, inner: string) =>
  found.get(inner)?.parts.every((part) => found.get(outer)?.parts.includes(part)) ?? false;

describe("[PV9] the parts of the models", () => {
  const found = listParts(manifests);

  it("are those of the stems they are made from, also by another network", () => {
    for (const inner of ["drums", "bass", "other", "guitar", "piano", "other-x-guitar"])
      expect(contains(found, "instrumental", inner), inner).toBe(true);
    for (const inner of ["guitar", "piano", "strings"])
      expect(contains(found, "other", inner), inner).toBe(true);
    expect(contains(found, "music_removal", "dialogue")).toBe(true);
    expect(contains(found, "speech_denoise", "speech_dereverb")).toBe(true);
    expect(contains(found, "instrumental", "vocals")).toBe(false);
    expect(contains(found, "other-x-guitar", "guitar_electric")).toBe(false);
  });

  it("add up to the whole, which all networks of a family share", () => {
    const sum = ["vocals", "drums", "bass", "guitar", "other-x-guitar"].flatMap(
      (model) => found.get(model)?.parts ?? [],
    );
    expect(new Set(sum).size).toBe(sum.length);
    expect(sum.toSorted()).toEqual(found.get("piano")?.whole.toSorted());
    expect(found.get("dialogue")?.whole).not.toEqual(found.get("vocals")?.whole);
  });

  it("of two networks are the same where their names say so", () => {
    const two = network(
      "two",
      ["vocals", "other"],
      [
        { model: "vocals", stem: ["vocals"] },
        { model: "instrumental", without: ["vocals"] },
      ],
    );
    const four = network("four", ["drums", "bass", "other", "vocals"], [{ model: "drums", stem: ["drums"] }]);
    const both = listParts([two, four]);
    expect(contains(both, "instrumental", "drums")).toBe(true);
    expect(contains(both, "vocals", "drums")).toBe(false);
    expect(both.get("vocals")?.whole).toEqual(both.get("drums")?.whole);
  });

  it("of networks whose stems cannot be compared are unrelated", () => {
    const one = network("one", ["vocals", "wind", "rest"], [{ model: "wind", stem: ["wind"] }]);
    const four = network("four", ["drums", "bass", "other", "vocals"], [{ model: "drums", stem: ["drums"] }]);
    const both = listParts([one, four]);
    expect(both.get("wind")?.whole).not.toEqual(both.get("drums")?.whole);
  });
});
