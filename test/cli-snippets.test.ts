import { execFileSync } from "node:child_process";
import type { Model } from "@stemwright/contract";
import type { TargetInput } from "@stemwright/sdk";
import { describe, expect, it, vi } from "vitest";
import { makeProgram } from "../packages/cli/program.ts";
import type { WantedTarget } from "../packages/cli/work/wanted-target.ts";
import type { Wanted } from "../packages/cli/work/work-on-files.ts";
import {
  type Choice,
  type ChosenModel,
  FIRST_CHOICE,
  toTargets,
} from "../packages/dashboard/pages/playground/choice.ts";
import { PRESETS } from "../packages/dashboard/pages/playground/presets.ts";
import { SERVICE_ONLY, writeCode } from "../packages/dashboard/pages/playground/request-code.ts";
import { CATALOGUE } from "../packages/server/domain/models/catalogue.ts";
import { toModels } from "../packages/server/domain/models/model-view.ts";

const wanted: Wanted[] = [];
vi.mock("../packages/cli/work/work-on-files.ts", () => ({
  workOnFiles: async (work: Wanted) => {
    wanted.push(work);
    return 0;
  },
}));

const BASE_URL = "http://192.168.1.5:8080";
const INPUT = `It's "mine" $HOME.mp3`;
const models: Model[] = toModels([]);

/** The arguments of each command, as a shell parses them. */
function readByShell(code: string): string[][] {
  const script = `stemwright() { for word; do printf '%s\\0' "$word"; done; printf '\\n\\0'; }\n${code}`;
  const words = execFileSync("sh", { input: script, encoding: "utf8" }).split("\0");
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word === "\n") commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.slice(0, -1);
}

/** Parses and checks the command line with its own program, without running the work. */
async function runCommands(code: string): Promise<WantedTarget[]> {
  wanted.length = 0;
  for (const words of readByShell(code)) {
    const program = makeProgram();
    for (const command of [program, ...program.commands]) command.exitOverride();
    await program.parseAsync(words, { from: "user" });
  }
  return wanted.flatMap(({ files, options, formats, makeTargets }) => {
    expect(files).toEqual([INPUT]);
    expect(options.server).toBe(BASE_URL);
    return makeTargets(INPUT, formats);
  });
}

const choose = (chosen: readonly ChosenModel[], others: Partial<Choice> = {}): Choice => ({
  ...FIRST_CHOICE,
  ...others,
  models: chosen,
});
const variantsOf = ({ id, variants = [] }: (typeof CATALOGUE)[number]): ChosenModel[] => [
  { id },
  { id, isResidual: true },
  ...variants.map((variant) => ({ id, variant: variant.id })),
];
const TEXT = { transcript: "la la", textFormats: ["lrc", "srt"], language: "en" };
const CHOICES: [string, Choice][] = [
  ...PRESETS.map(({ id, models: ids, choice }): [string, Choice] => [
    `preset ${id}`,
    choose(
      ids.map((model) => ({ id: model })),
      choice,
    ),
  ]),
  ...CATALOGUE.flatMap((model) =>
    variantsOf(model).map((chosen): [string, Choice] => [JSON.stringify(chosen), choose([chosen], TEXT)]),
  ),
  [
    "stems that differ in variant and residual",
    choose([
      { id: "vocals", variant: "high_quality" },
      { id: "instrumental" },
      { id: "drums", isResidual: true },
      { id: "bass" },
    ]),
  ],
  ["an alignment of what is heard", choose([{ id: "alignment" }], { textFormats: ["lrc"] })],
];

describe("the command shown in the playground", () => {
  it.each(CHOICES)("[PG7] is understood by the command line as the same request: %s", async (_, choice) => {
    const targets = toTargets(choice, models);
    const transcript = choice.transcript === "" ? undefined : "transcript.txt";
    const code = writeCode("CLI", { baseUrl: BASE_URL, input: INPUT, targets, transcript });
    const understood = (await runCommands(code)).map(({ kind: _kind, transcriptPath, ...target }) => ({
      ...target,
      ...(transcriptPath === undefined ? {} : { transcriptPath }),
    }));
    const said = targets.map(
      (target) =>
        Object.fromEntries(
          Object.entries(target).filter(([name]) => !SERVICE_ONLY.some((field) => field === name)),
        ) as TargetInput,
    );
    const expected = said.map((target) => {
      // The command defaults to two speakers.
      const { variant, ...plain } = target;
      if (target.model === "multi_voice") {
        // It always writes who speaks when.
        const formats = [...new Set([...target.formats, "json"])];
        return { ...(variant === "two_speaker" ? plain : target), formats };
      }
      if (target.model !== "alignment") return target;
      // The command aligns a given text; without one it transcribes.
      return transcript === undefined
        ? { ...target, model: "transcription" }
        : { ...target, transcriptPath: transcript };
    });
    const sort = (list: readonly { model: string }[]) =>
      list.toSorted((a, b) => a.model.localeCompare(b.model));
    expect(sort(understood)).toEqual(sort(expected));
  });
});
