import { describe, expect, it } from "vitest";
import { describeMachine } from "./describe-machine.ts";
import { makeRoot } from "./support/make-root.ts";

const INTEL = `processor	: 0
vendor_id	: GenuineIntel
cpu family	: 6
model		: 85
model name	: Intel(R) Xeon(R) Processor @ 2.50GHz
cpu MHz		: 2499.998
flags		: fpu sse sse2 ssse3 fma avx avx2 avx512f avx512_vnni md_clear

processor	: 1
vendor_id	: GenuineIntel
cpu family	: 6
model		: 85
cpu MHz		: 3100.000
flags		: fpu sse sse2 ssse3 fma avx avx2 avx512f avx512_vnni md_clear
`;
const ARM = `processor	: 0
BogoMIPS	: 243.75
Features	: fp asimd asimddp i8mm
CPU implementer	: 0x41
CPU architecture: 8
CPU variant	: 0x1
CPU part	: 0xd40
`;

const describeX64 = (cpuinfo: string, threads = 2) =>
  describeMachine(threads, { root: makeRoot({ "proc/cpuinfo": cpuinfo }), arch: "x64" });
const describeArm64 = (cpuinfo: string) =>
  describeMachine(2, { root: makeRoot({ "proc/cpuinfo": cpuinfo }), arch: "arm64" });

describe("the description of a machine", () => {
  it("[Q17] is the same for all machines of a kind, at any clock rate and microcode", () => {
    const described = describeX64(INTEL);
    expect(described).toContain(
      "x64, GenuineIntel/6/85 avx avx2 avx512_vnni avx512f fma sse sse2 ssse3, 2 threads",
    );
    expect(describeX64(INTEL.replaceAll(" md_clear", " flush_l1d").replace("3100", "2100"))).toBe(described);
  });

  it.each([
    ["another processor", INTEL.replaceAll("GenuineIntel", "AuthenticAMD")],
    ["another model", INTEL.replaceAll("85", "106")],
    ["no int8 instructions", INTEL.replaceAll(" avx512_vnni", "")],
    ["no wide registers", INTEL.replaceAll(" avx512f avx512_vnni", "")],
    ["cores of two kinds", INTEL.replace("avx512_vnni md_clear\n\n", "md_clear\n\n")],
  ])("[Q17] is another with %s", (_difference, cpuinfo) => {
    expect(describeX64(cpuinfo)).not.toBe(describeX64(INTEL));
  });

  it("[Q17] depends on the number of threads, which changes the order of sums", () => {
    expect(describeX64(INTEL, 8)).not.toBe(describeX64(INTEL));
  });

  it("[Q17] distinguishes arm64 from x64, and CPU models", () => {
    const described = describeArm64(ARM);
    expect(described).toContain("arm64, 0x41/8/0x1/0xd40 asimd asimddp fp i8mm, 2 threads");
    expect(describeArm64(ARM.replace(" i8mm", ""))).not.toBe(described);
    expect(describeArm64(ARM.replace("0xd40", "0xd0c"))).not.toBe(described);
  });

  it("[Q17] exists for this machine, and is undefined if the kernel does not say", () => {
    expect(describeMachine(2, { root: makeRoot({}) })).toBeUndefined();
    expect(describeMachine(2)).toMatch(/, \S+\/\S+ .*, 2 threads$/);
  });
});
