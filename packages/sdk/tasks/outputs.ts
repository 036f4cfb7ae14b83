import type { OutputFile, Target, Task } from "@stemwright/contract";
import { StemwrightError } from "../errors.ts";

const isSame = (a: OutputFile, b: OutputFile) => a.name === b.name && a.format === b.format;

/** An own Task, or a shared one, which has no id. */
type WithOutputs = { id?: string; targets: readonly Pick<Target, "id" | "output">[] };

/** Finds the target of an output by its link: two targets may have outputs of the same name. */
function findTarget(task: WithOutputs, output: OutputFile) {
  return task.targets.find(({ output: files }) => files.some(({ link }) => link === output.link));
}

/** The output's link in a freshly loaded Task. */
export function getFreshLink(known: WithOutputs, output: OutputFile, fresh: WithOutputs): string {
  const id = findTarget(known, output)?.id;
  const targets = fresh.targets.filter((target) => id === undefined || target.id === id);
  const found = targets.flatMap((target) => target.output).find((file) => isSame(file, output));
  const task = known.id === undefined ? "The Task" : `Task ${known.id}`;
  if (!found) throw new StemwrightError(`${task} no longer has the file ${output.name}.${output.format}`);
  return found.link;
}

const EXTENSIONS: Record<string, string> = { ultrastar: "ultrastar.txt", click: "click.wav" };

/** The name of an output as a file. UltraStar songs have the extension `.txt`, click tracks `.wav`. */
export const toOutputFileName = ({ name, format }: Pick<OutputFile, "name" | "format">) =>
  `${name}.${EXTENSIONS[format] ?? format}`;

/** Unique file names for all outputs of a Task, without path separators. */
export function nameOutputs(
  task: Task,
  toName: (output: OutputFile, target: Target) => string = toOutputFileName,
): { output: OutputFile; name: string }[] {
  const taken = new Set<string>();
  return task.targets.flatMap((target) =>
    target.output.map((output) => {
      const wanted = toName(output, target).replaceAll(/[/\\:*?"<>|\p{Cc}]/gu, "_");
      const dot = wanted.search(/\.((ultrastar|click)\.)?[^.]*$/);
      const [stem, extension] = dot > 0 ? [wanted.slice(0, dot), wanted.slice(dot)] : [wanted, ""];
      let name = wanted;
      for (let copy = 2; taken.has(name.toLowerCase()); copy += 1) name = `${stem}-${copy}${extension}`;
      taken.add(name.toLowerCase());
      return { output, name };
    }),
  );
}
