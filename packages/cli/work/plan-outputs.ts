import { resolve } from "node:path";
import { CliError } from "../cli-error.ts";
import { fillPattern } from "./output-pattern.ts";
import { listOutputNames, type WantedTarget } from "./wanted-target.ts";

export type PlannedOutput = { target: WantedTarget; name: string; format: string; path: string };

/** Where each output of an input will be. Two in one place would be one too few. */
export function planOutputs(
  input: string,
  targets: readonly WantedTarget[],
  pattern: string,
): PlannedOutput[] {
  const outputs = targets.flatMap((target) =>
    listOutputNames(target).flatMap((name) =>
      target.formats.map((format) => ({
        target,
        name,
        format,
        path: resolve(fillPattern(pattern, input, { stem: name, ext: format })),
      })),
    ),
  );
  const paths = outputs.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index || path === resolve(input));
  if (twice !== undefined)
    throw new CliError(
      "USAGE",
      `Two files would be ${twice}; put {stem} and {ext} into --output so that each has a name of its own.`,
    );
  return outputs;
}
