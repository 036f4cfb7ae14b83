import { TARGET_OPTIONS, type TargetOptions } from "@stemwright/contract";

/** The options that the client supplied. */
export const pickOptions = (target: TargetOptions): TargetOptions =>
  Object.fromEntries(
    TARGET_OPTIONS.flatMap((name) => (target[name] === undefined ? [] : [[name, target[name]]])),
  );
