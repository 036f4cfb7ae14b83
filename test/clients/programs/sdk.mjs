// Run beside `sdk.mjs`, the bundled SDK, on Node, Deno and Bun.
import { readFile } from "node:fs/promises";
import { Stemwright } from "./sdk.mjs";

const client = new Stemwright({ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY });
const steps = [];
const targets = [{ model: "vocals", formats: ["wav"] }];
const task = await client.tasks.run("song.wav", targets, {
  onUploadProgress: ({ loaded }) => steps.push(loaded),
});
const [path] = await client.tasks.saveAll(task, "stems");
const listed = await client.tasks.list().toArray();
const refused = await client.tasks.get("nobody").catch((error) => error);
const found = [
  steps.length > 0,
  await readFile(path, "utf8"),
  listed.length > 0,
  refused.name,
  refused.requestId !== undefined,
];
console.log(found.join(" "));
