import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import engine from "../package.json" with { type: "json" };

/** x64 CPU flags of instruction sets that kernels and decoders are selected by. On arm64 all features count. */
const X64_SETS = /^(pni|ssse3|sse|avx|fma|f16c|amx|bmi|xop|gfni|vaes)/;
const X64_FIELDS = ["vendor_id", "cpu family", "model"];
const ARM64_FIELDS = ["CPU implementer", "CPU architecture", "CPU variant", "CPU part"];

/**
 * Everything about this machine that its samples depend on; undefined if the kernel does not say. Kernels of onnxruntime, decoders and FFTs are selected
 * by instruction set, and each sums in another order. So does another number of threads, which splits matrices differently: all three separating
 * networks differ in the last bits between 2 and 8. Attention is split by the size of the L2 cache, which comes with the CPU model.
 */
export function describeMachine(
  threads: number,
  { root = "/", arch = process.arch }: { root?: string; arch?: string } = {},
): string | undefined {
  const cpus = findCpus(join(root, "proc/cpuinfo"))?.map((cpu) => describeCpu(cpu, arch));
  if (cpus === undefined) return undefined;
  return [
    `Stemwright ${engine.version}`,
    `Node ${process.versions.node}`,
    arch,
    ...new Set(cpus),
    `${threads} threads`,
  ].join(", ");
}

function describeCpu(cpu: ReadonlyMap<string, string>, arch: string): string {
  const isX64 = arch === "x64";
  const name = (isX64 ? X64_FIELDS : ARM64_FIELDS).map((field) => cpu.get(field) ?? "?").join("/");
  const flags = (cpu.get(isX64 ? "flags" : "Features") ?? "").split(" ");
  return [name, ...flags.filter((flag) => !isX64 || X64_SETS.test(flag)).sort()].join(" ");
}

/** The fields of each CPU in the kernel's list. */
function findCpus(path: string): ReadonlyMap<string, string>[] | undefined {
  if (!existsSync(path)) return undefined;
  const blocks = readFileSync(path, "utf8").trim().split(/\n\n+/);
  return blocks.map((block) => new Map(block.split("\n").map(toField)));
}

function toField(line: string): [string, string] {
  const [name = "", ...value] = line.split(":");
  return [name.trim(), value.join(":").trim()];
}
