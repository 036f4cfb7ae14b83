// Separates a song into four stems: node examples/separate.ts song.mp3 stems
import { Stemwright } from "@stemwright/sdk";

const [song = "song.mp3", folder = "stems"] = process.argv.slice(2);
const client = new Stemwright(); // STEMWRIGHT_BASE_URL and STEMWRIGHT_API_KEY

const stop = new AbortController();
process.once("SIGINT", () => stop.abort(new Error("Stopped; the Task was cancelled")));

const targets = ["vocals", "drums", "bass", "other"].map((model) => ({ model, formats: ["flac"] }));
const task = await client.tasks.run(song, targets, {
  signal: stop.signal,
  onQueueUpdate: ({ position }) => console.log(position === 0 ? "running" : `${position} in line`),
  onProgress: ({ progress, etaSeconds }) =>
    console.log(`${Math.round(progress * 100)} %`, etaSeconds === undefined ? "" : `${etaSeconds} s left`),
});

for (const { model, error } of task.targets)
  if (error) console.error(`${model} failed: ${error.message} (${error.code})`);
for (const path of await client.tasks.saveAll(task, folder)) console.log(path);
