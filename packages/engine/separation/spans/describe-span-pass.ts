import { describeGpus } from "../../runtime/describe-gpus.ts";
import { describePass, type PassSpools } from "../network-pass.ts";

/** `describePass` plus the GPU, if one is used: machines with the same CPU may have different GPUs. */
export function describeSpanPass(spools: PassSpools): ReturnType<typeof describePass> {
  const { grid, madeFrom } = describePass(spools);
  const isOnCpu = String(madeFrom.runsOn).startsWith("cpu");
  return { grid, madeFrom: isOnCpu ? madeFrom : { ...madeFrom, gpus: describeGpus() ?? "" } };
}
