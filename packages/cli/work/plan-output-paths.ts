import { resolve } from "node:path";
import { toExtension } from "@stemwright/contract/formats";
import { CliError } from "../cli-error.ts";
import { fillPattern } from "./output-pattern.ts";
import { listOutputs, type WantedTarget } from "./wanted-target.ts";

export type PlannedOutput = { target: WantedTarget; name: string; format: string; path: string };

type Plan = { input: string; targets: readonly WantedTarget[]; pattern: string };

/** The path of each output of an input; paths must differ. The number of voices is known only when they are made. */
export function planOutputPaths({ input, targets, pattern }: Plan, voiceCount = 0): PlannedOutput[] {
  const outputs = targets.flatMap((target) =>
    listOutputs(target, voiceCount).map(({ name, format }) => ({
      target,
      name,
      format,
      path: resolve(fillPattern(pattern, input, { stem: name, ext: toExtension(format) })),
    })),
  );
  const paths = outputs.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index || path === resolve(input));
  if (twice !== undefined)
    throw new CliError(
      "USAGE",
      `Two files would be ${twice}; put {stem} and {ext} into --output so that each gets a different name.`,
    );
  return outputs;
}
