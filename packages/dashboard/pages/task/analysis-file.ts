import type { OutputFile, Task } from "@stemwright/sdk";
import { isOwnLink, toOwnLink } from "../../data/own-link.ts";

/** The json of a completed music analysis, unless it is in a bucket. */
export const findAnalysisFile = ({ targets }: Pick<Task, "targets">): OutputFile | undefined =>
  targets
    .filter(({ model, status }) => model === "music_analysis" && status === "completed")
    .flatMap(({ output }) => output)
    .find(({ format, link }) => format === "json" && isOwnLink(toOwnLink(link)));
