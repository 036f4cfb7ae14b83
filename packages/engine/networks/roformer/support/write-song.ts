import { writeFileSync } from "node:fs";
import { makeReferenceSong } from "./reference-song.ts";

/** Writes the input of the references, left channel first, for training/roformer_references.py: `node write-song.ts PATH`. */
const [path = "song.f32"] = process.argv.slice(2);
writeFileSync(path, Buffer.concat(makeReferenceSong().map((plane) => new Uint8Array(plane.buffer))));
