import { readdirSync, readFileSync, statSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";

/**
 * Describes this machine's GPUs and drivers, or returns undefined if there are none. Reads a few system files without loading a driver. Other hardware
 * or another driver has another description.
 */
export function describeGpus(root = "/"): string | undefined {
  const list = (path: string) => readOr([], () => readdirSync(join(root, path)).sort());
  const read = (path: string) => readOr("", () => readFileSync(join(root, path), "utf8"));
  const nvidia = list("dev").filter((name) => /^nvidia\d+$/.test(name));
  const renderers = list("dev/dri").filter((name) => name.startsWith("renderD"));
  const wsl = list("dev").filter((name) => name === "dxg");
  if (nvidia.length + renderers.length + wsl.length === 0) return undefined;
  const models = list("proc/driver/nvidia/gpus").map(
    (slot) => /^Model:\s*(.+)$/m.exec(read(`proc/driver/nvidia/gpus/${slot}/information`))?.[1] ?? slot,
  );
  const driver = /NVRM version:.*?\s(\d+\.[\d.]+)\s/.exec(read("proc/driver/nvidia/version"))?.[1];
  const cards = renderers.map((name) => {
    const [vendor, device] = ["vendor", "device"].map((part) => read(`sys/class/drm/${name}/device/${part}`));
    return `${vendor?.trim()}:${device?.trim()}`;
  });
  const vulkan = ["usr/share/vulkan/icd.d", "etc/vulkan/icd.d"].flatMap((folder) =>
    list(folder).map((name) => `${name} ${readOr(0, () => statSync(join(root, folder, name)).mtimeMs)}`),
  );
  return [
    ...models,
    ...(driver === undefined ? [] : [`NVIDIA driver ${driver}`]),
    ...cards,
    ...wsl,
    `kernel ${release()}`,
    ...vulkan,
  ].join(", ");
}

function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
