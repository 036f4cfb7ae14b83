import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { loadManifests } from "../../packages/engine/manifests/manifest.ts";
import { findWeightsPath } from "../../packages/engine/runtime/weights-file.ts";
import { readSound } from "../../packages/engine/support/sound-file.ts";
import { writeFigures } from "./write-figures.ts";

/** The same weights through transformers.js' pipeline, with its own chunking of long audio. */
const [, , inputPath = "", peerDir = "", figuresPath = ""] = process.argv;
const manifest = loadManifests().find(({ family }) => family === "whisper");
if (manifest?.family !== "whisper") throw new Error("no speech network");
const tokenizerPath = findWeightsPath(manifest.weights.tokenizer);
if (tokenizerPath === undefined) throw new Error("the weights are missing");
const modelDir = dirname(tokenizerPath);
const entry = createRequire(join(peerDir, "package.json")).resolve("@huggingface/transformers");
const { env, pipeline } = await import(entry);
env.allowRemoteModels = false;
env.localModelPath = join(modelDir, "..");
const transcribe = await pipeline("automatic-speech-recognition", "whisper-small", {
  dtype: "q8",
  device: "cpu",
});
const { planes } = readSound(inputPath);
const { text } = await transcribe(planes[0], { chunk_length_s: 30, stride_length_s: 5, language: "en" });
writeFigures(figuresPath, { text });
