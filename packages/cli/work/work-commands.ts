import {
  ANALYSIS_OUTPUT_FORMATS,
  AUDIO_OUTPUT_FORMATS,
  DETECTION_OUTPUT_FORMATS,
  TEXT_OUTPUT_FORMATS,
  VOICES_OUTPUT_FORMATS,
} from "@stemwright/contract/formats";
import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import { fillPattern } from "./output-pattern.ts";
import type { WantedTarget } from "./wanted-target.ts";
import type { Wanted } from "./work-on-files.ts";
import { addWorkOptions, toList, type WorkOptions } from "./work-options.ts";

/** Loaded when a command runs, so that help and completion start fast. */
async function work(files: string[], options: WorkOptions, wanted: Omit<Wanted, "files" | "options">) {
  const { workOnFiles } = await import("./work-on-files.ts");
  process.exitCode = await workOnFiles({ ...wanted, files, options });
}

function toFormats(given: string, known: readonly string[]): string[] {
  const formats = toList(given);
  const unknown = formats.find((format) => !known.includes(format));
  if (unknown !== undefined || formats.length === 0)
    throw new CliError("USAGE", `--format ${unknown ?? "is empty"}: it must be among ${known.join(", ")}.`);
  return formats;
}

const examples = (lines: readonly string[]) =>
  `\nExamples:\n${lines.map((line) => `  $ stemwright ${line}`).join("\n")}\n`;

const SOUND = { format: "wav", formats: AUDIO_OUTPUT_FORMATS.join(", ") };
const TEXT = { format: "srt", formats: TEXT_OUTPUT_FORMATS.join(", ") };

export function addWorkCommands(program: Command): void {
  addSeparate(program);
  addTranscribe(program);
  addAlign(program);
  addVoices(program);
  addDetect(program);
}

function addSeparate(program: Command): void {
  addWorkOptions(program.command("separate").description("separate music into stems"), SOUND)
    .option(
      "--stems <list>",
      "vocals, instrumental, drums, bass, other, guitar, piano, …",
      "vocals,instrumental",
    )
    .option("--network <id>", "an added network: all its stems, or those of --stems by their names")
    .option("--residual", "with each stem, the input without it", false)
    .option("--high-quality", "several passes for vocals and instrumental; three times as long", false)
    .addHelpText(
      "after",
      examples([
        "separate song.mp3",
        "separate song.mp3 --stems vocals,drums --format flac",
        "separate album/ --recursive --output 'stems/{name}_{stem}.{ext}'",
        "separate - --stems instrumental --output - < song.mp3 > karaoke.wav",
        "separate 'album/*.mp3' --stems bass --server http://127.0.0.1:8080",
      ]),
    )
    .action(async (files: string[], options: WorkOptions & SeparateOptions, command: Command) => {
      const formats = toFormats(options.format, AUDIO_OUTPUT_FORMATS);
      const isChosen = command.getOptionValueSource("stems") !== "default";
      const stems =
        options.network === undefined
          ? toList(options.stems)
          : await listStemsOf(options.network, options, isChosen);
      await work(files, options, {
        kind: "sound",
        formats,
        makeTargets: () => stems.map((model) => toStemTarget(model, formats, options)),
      });
    });
}

function addTranscribe(program: Command): void {
  addWorkOptions(program.command("transcribe").description("transcribe speech and singing"), TEXT)
    .option("-l, --language <code>", "the language spoken, such as en or de; detected by default")
    .addHelpText(
      "after",
      examples(["transcribe talk.mp4", "transcribe talk.mp4 --language en --format srt,vtt,json"]),
    )
    .action(async (files: string[], options: WorkOptions & { language?: string }) => {
      const formats = toFormats(options.format, TEXT_OUTPUT_FORMATS);
      const { language } = options;
      await work(files, options, {
        kind: "text",
        formats,
        makeTargets: () => [
          { model: "transcription", kind: "text", formats, ...(language === undefined ? {} : { language }) },
        ],
      });
    });
}

function addAlign(program: Command): void {
  addWorkOptions(program.command("align").description("give the words of a text their times"), {
    ...TEXT,
    format: "lrc",
  })
    .option("-t, --text <pattern>", "the text of each input", "{dir}/{name}.txt")
    .option("-l, --language <code>", "the language of the text; detected by default")
    .addHelpText("after", examples(["align song.mp3 --text lyrics.txt", "align song.mp3 --format lrc,json"]))
    .action(async (files: string[], options: WorkOptions & { text: string; language?: string }) => {
      const formats = toFormats(options.format, TEXT_OUTPUT_FORMATS);
      const { language, text: pattern } = options;
      await work(files, options, {
        kind: "text",
        formats,
        makeTargets: (input) => [
          {
            model: "alignment",
            kind: "text",
            formats,
            transcriptPath: fillPattern(pattern, input, { stem: "alignment", ext: "txt" }),
            ...(language === undefined ? {} : { language }),
          },
        ],
      });
    });
}

function addVoices(program: Command): void {
  addWorkOptions(program.command("voices").description("write a separate track for each speaker"), {
    ...SOUND,
    formats: VOICES_OUTPUT_FORMATS.join(", "),
  })
    .option("--speakers <number>", "2, or n where their number is to be found out", "2")
    .option("--residual", "with the voices, the input without them", false)
    .addHelpText(
      "after",
      examples(["voices interview.wav", "voices interview.wav --speakers n --format flac --server"]),
    )
    .action(async (files: string[], options: WorkOptions & { speakers: string; residual: boolean }) => {
      // The json is always written: the next run reads from it whether all voices are there.
      const formats = [...new Set([...toFormats(options.format, VOICES_OUTPUT_FORMATS), "json"])];
      const { residual, speakers } = options;
      if (speakers !== "2" && speakers !== "n")
        throw new CliError("USAGE", `--speakers ${speakers}: it must be 2 or n.`);
      const variant = speakers === "n" ? { variant: "n_speaker" } : {};
      await work(files, options, {
        kind: "voices",
        formats,
        makeTargets: () => [
          { model: "multi_voice", kind: "voices", formats, ...variant, ...(residual ? { residual } : {}) },
        ],
      });
    });
}

function addDetect(program: Command): void {
  addWorkOptions(program.command("detect").description("find where there is music"), {
    format: "json",
    formats: DETECTION_OUTPUT_FORMATS.join(", "),
  })
    .addHelpText("after", examples(["detect broadcast.mp3", "detect broadcast.mp3 --format txt --output -"]))
    .action(async (files: string[], options: WorkOptions) => {
      const formats = toFormats(options.format, DETECTION_OUTPUT_FORMATS);
      await work(files, options, {
        kind: "detection",
        formats,
        makeTargets: () => [{ model: "music_detection", kind: "detection", formats }],
      });
    });

  addWorkOptions(program.command("analyze").description("find tempo, beats, key, chords and loudness"), {
    format: "json",
    formats: ANALYSIS_OUTPUT_FORMATS.join(", "),
  })
    .addHelpText("after", examples(["analyze song.mp3", "analyze song.mp3 --format json,mid,click,lab,csv"]))
    .action(async (files: string[], options: WorkOptions) => {
      const formats = toFormats(options.format, ANALYSIS_OUTPUT_FORMATS);
      await work(files, options, {
        kind: "analysis",
        formats,
        makeTargets: () => [{ model: "music_analysis", kind: "analysis", formats }],
      });
    });
}

/** All of the network's, or those that were asked for. */
async function listStemsOf(
  network: string,
  { server, stems, highQuality }: WorkOptions & SeparateOptions,
  isChosen: boolean,
): Promise<string[]> {
  if (server !== undefined)
    throw new CliError("USAGE", "--network uses the networks of this machine: leave out --server.");
  if (highQuality) throw new CliError("USAGE", "--high-quality has no meaning for a network that is named.");
  const { findManifest } = await import("../models/show-networks.ts");
  const manifest = findManifest(network);
  const known = [...manifest.stems, ...manifest.serves.map(({ model }) => model)];
  const chosen = isChosen ? toList(stems) : manifest.stems;
  const unknown = chosen.find((stem) => !known.includes(stem));
  if (unknown !== undefined)
    throw new CliError(
      "USAGE",
      `${network} has no stem ${unknown}: it has ${[...new Set(known)].join(", ")}.`,
    );
  return chosen;
}

type SeparateOptions = { network?: string; stems: string; residual: boolean; highQuality: boolean };

const HIGH_QUALITY_MODELS = ["vocals", "instrumental"];

function toStemTarget(
  model: string,
  formats: readonly string[],
  { network, residual, highQuality }: SeparateOptions,
): WantedTarget {
  const hasVariant = highQuality && HIGH_QUALITY_MODELS.includes(model);
  return {
    model,
    kind: "sound",
    formats,
    ...(network === undefined ? {} : { network }),
    ...(residual ? { residual } : {}),
    ...(hasVariant ? { variant: "high_quality" } : {}),
  };
}
