import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { describeRun } from "./machine.ts";
import { countVoices, describeCounts } from "./voices/count-voices.ts";
import { Figures } from "./voices/figures.ts";
import { measureAlone } from "./voices/measure-alone.ts";
import { measureBackgrounds } from "./voices/measure-backgrounds.ts";
import { measureConversations } from "./voices/measure-conversations.ts";
import { measurePairs } from "./voices/measure-pairs.ts";
import { measureWords } from "./voices/measure-words.ts";
import { VoicesBench } from "./voices/take-apart.ts";

/*
 * Who speaks when, how many people, and how well their voices are separated, as in the service.
 *
 *   npm run bench voices -- [--figures FILE] [--turns FOLDER …] [--conversations FOLDER …] [--pairs FOLDER …] [--alone FOLDER …]
 *                           [--timit FOLDER] [--backgrounds FOLDER]
 *
 * --conversations: NAME.wav with NAME.rttm beside it, and where they were generated NAME-s0.wav, NAME-s1.wav … with each voice alone; with --turns people are
 * counted by turns alone, without the separator (`python3 -m training.mix.conversations`). --pairs: folders of folders with s0.wav and s1.wav, which are added
 * up; --alone: recordings of one person (both by `python3 -m training.mix.held_out_voices --out`). --timit: its folder, for words. --backgrounds: music and
 * noises that are put behind the first of the pairs. What is in the file of figures is not measured again; sections of
 * the results that this run does not measure stay as they are.
 */
const { values } = parseArgs({
  options: {
    figures: { type: "string" },
    turns: { type: "string", multiple: true, default: [] },
    conversations: { type: "string", multiple: true, default: [] },
    pairs: { type: "string", multiple: true, default: [] },
    alone: { type: "string", multiple: true, default: [] },
    timit: { type: "string" },
    backgrounds: { type: "string" },
  },
});

const RESULTS = join(import.meta.dirname, "results/voices.md");
const about = describeRun();
const figures = new Figures(values.figures);
/** Each starts with its title. */
const parts: string[] = [];
const addPart = (head: string, ...lines: string[]) =>
  parts.push([`## ${head}`, "", ...about, "", ...lines, ""].join("\n"));

for (const folder of values.turns) {
  const counted = await countVoices(folder, figures);
  addPart(
    `How many speak, by turns alone: ${counted.length} of \`${basename(folder)}\``,
    ...describeCounts(counted),
  );
}
await using bench = new VoicesBench();
for (const folder of values.conversations) {
  addPart(
    `The whole chain, \`n_speaker\`: \`${basename(folder)}\``,
    ...(await measureConversations(bench, folder, figures)),
  );
}
if (values.pairs.length > 0) {
  const rows: string[] = [];
  for (const folder of values.pairs) rows.push(await measurePairs(bench, folder, figures));
  addPart(
    "Two people who talk at once, `two_speaker`: SI-SDR improvement in dB",
    "| mixtures | how many | mean | median | least | below 3 dB |",
    "|---|---|---|---|---|---|",
    ...rows,
  );
}
for (const folder of values.alone) addPart("One person", await measureAlone(bench, folder, figures));
if (values.timit !== undefined) addPart("Words", await measureWords(bench, values.timit, figures));
if (values.backgrounds !== undefined) {
  const [pairs] = values.pairs;
  if (pairs === undefined) throw new Error("--backgrounds needs --pairs: whose voices they are behind");
  addPart(
    "Music and noise behind two voices, 8 dB below them: SI-SDR improvement",
    ...(await measureBackgrounds(bench, { pairs, backgrounds: values.backgrounds }, figures)),
  );
}

const titleOf = (part: string) => part.slice(0, part.indexOf("\n"));
const titles = new Set(parts.map(titleOf));
const [opening = "", ...before] = readFileSync(RESULTS, "utf8").split(/^(?=## )/m);
const kept = before.filter((part) => !titles.has(titleOf(part)));
writeFileSync(
  RESULTS,
  [opening, ...[...kept, ...parts].map((part) => `${part.trimEnd()}\n`)]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n"),
);
