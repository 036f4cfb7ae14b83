// Extracts the vocals of every song in a folder, a few at a time: node examples/batch.ts songs vocals
import { access, readdir } from "node:fs/promises";
import { extname, join, parse } from "node:path";
import { Stemwright } from "@stemwright/sdk";

const AT_ONCE = 3;
const EXTENSIONS = [".wav", ".flac", ".mp3", ".m4a", ".aac", ".ogg", ".opus", ".aiff"];

const [songsDir = "songs", vocalsDir = "vocals"] = process.argv.slice(2);
const client = new Stemwright(); // STEMWRIGHT_BASE_URL and STEMWRIGHT_API_KEY

async function takeVocals(file: string): Promise<void> {
  const path = join(vocalsDir, `${parse(file).name}.flac`);
  // Files are written atomically, so an existing one is complete.
  const isDone = await access(path).then(
    () => true,
    () => false,
  );
  if (isDone) return console.log(`${file}: already done`);
  const task = await client.tasks.run(join(songsDir, file), [{ model: "vocals", formats: ["flac"] }]);
  for (const { error, output } of task.targets) {
    if (error) throw new Error(`${error.message} (${error.code})`);
    for (const vocals of output) await client.tasks.save(task, vocals, path);
  }
  console.log(`${file}: ${path}`);
}

const files = (await readdir(songsDir)).filter((file) => EXTENSIONS.includes(extname(file).toLowerCase()));
const waiting = files.sort().values();
async function work(): Promise<void> {
  for (const file of waiting)
    await takeVocals(file).catch((error: Error) => {
      process.exitCode = 1;
      console.error(`${file}: ${error.message}`);
    });
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
