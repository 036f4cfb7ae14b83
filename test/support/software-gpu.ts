import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { onTestFinished } from "vitest";

/** Whether the packaged browser, available only for x64, includes one. */
export const HAS_SOFTWARE_GPU = process.platform === "linux" && process.arch === "x64";

/**
 * The environment for a process that should find a Vulkan driver: the software one of the packaged browser. It accepts what a GPU accepts and is thousands
 * of times slower.
 */
export function openSoftwareGpu(): NodeJS.ProcessEnv {
  const packagePath = dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium"));
  const archive = brotliDecompressSync(readFileSync(join(packagePath, "../bin/swiftshader.tar.br")));
  const folder = mkdtempSync(join(tmpdir(), "stemwright-software-gpu-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  const driver = join(folder, "vk_swiftshader_icd.json");
  return { ...process.env, LD_LIBRARY_PATH: folder, VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver };
}
