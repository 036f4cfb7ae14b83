import { describeGpus } from "../../runtime/describe-gpus.ts";
import { describePass, type PassSpools } from "../network-pass.ts";

/** The same as of a pass, and on a GPU which one: of two machines with the same CPU, each may have another. */
export function describeSpanPass(spools: PassSpools): ReturnType<typeof describePass> {
  const { grid, madeFrom } = describePass(spools);
  const isOnCpu = String(madeFrom.runsOn).startsWith("cpu");
  return { grid, madeFrom: isOnCpu ? madeFrom : { ...madeFrom, gpus: describeGpus() ?? "" } };
}
