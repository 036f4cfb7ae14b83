// Transcribes a recording and writes subtitles beside it: node examples/transcribe.ts talk.mp4
import { parse } from "node:path";
import { Stemwright } from "@stemwright/sdk";

const [recording = "talk.mp4", language] = process.argv.slice(2);
const client = new Stemwright(); // STEMWRIGHT_BASE_URL and STEMWRIGHT_API_KEY

const target = { model: "transcription", formats: ["srt", "vtt", "txt"], ...(language && { language }) };
const task = await client.tasks.run(recording, [target], {
  onProgress: ({ progress }) => console.log(`${Math.round(progress * 100)} %`),
});

const [{ error, output } = { error: undefined, output: [] }] = task.targets;
if (error) throw new Error(`${error.message} (${error.code})`);
const { dir, name } = parse(recording);
const paths = await client.tasks.saveAll(task, dir || ".", { toName: ({ format }) => `${name}.${format}` });
for (const path of paths) console.log(path);

// Or without a file:
const text = output.find(({ format }) => format === "txt");
if (text) console.log(await (await client.tasks.download(task, text)).text());
