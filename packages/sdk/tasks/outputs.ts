import type { OutputFile, Target, Task } from "@stemwright/contract";
import { StemwrightError } from "../errors.ts";

const isSame = (a: OutputFile, b: OutputFile) => a.name === b.name && a.format === b.format;

/** The target that made the file. Two targets may give files of the same name; their links tell them apart. */
function findTarget(task: Task, output: OutputFile): Target | undefined {
  return task.targets.find(({ output: files }) => files.some(({ link }) => link === output.link));
}

/** The file's link in the Task as it is now. */
export function getFreshLink(known: Task, output: OutputFile, fresh: Task): string {
  const id = findTarget(known, output)?.id;
  const targets = fresh.targets.filter((target) => id === undefined || target.id === id);
  const found = targets.flatMap((target) => target.output).find((file) => isSame(file, output));
  if (!found)
    throw new StemwrightError(`Task ${known.id} no longer has the file ${output.name}.${output.format}`);
  return found.link;
}

/** Names for all files of a Task, no two alike, with nothing in them that a path could be built from. */
export function nameOutputs(
  task: Task,
  toName: (output: OutputFile, target: Target) => string = ({ name, format }) => `${name}.${format}`,
): { output: OutputFile; name: string }[] {
  const taken = new Set<string>();
  return task.targets.flatMap((target) =>
    target.output.map((output) => {
      const wanted = toName(output, target).replaceAll(/[/\\:*?"<>|\p{Cc}]/gu, "_");
      const dot = wanted.lastIndexOf(".");
      const [stem, extension] = dot > 0 ? [wanted.slice(0, dot), wanted.slice(dot)] : [wanted, ""];
      let name = wanted;
      for (let copy = 2; taken.has(name.toLowerCase()); copy += 1) name = `${stem}-${copy}${extension}`;
      taken.add(name.toLowerCase());
      return { output, name };
    }),
  );
}
