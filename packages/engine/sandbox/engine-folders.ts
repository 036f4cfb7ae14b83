import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AllowedFolders } from "./landlock-folders.ts";

const ENGINE_DIR = dirname(import.meta.dirname);

/** The C library, the programs that make namespaces, drivers, and what Node reads at its start. Nothing of users or of services. */
const SYSTEM = [
  ...["/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/nix/store", "/gnu/store"],
  ...["/proc", "/sys"],
  ...["/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"],
  ...["/etc/ssl/openssl.cnf", "/etc/localtime", "/etc/glvnd", "/etc/vulkan", "/etc/OpenCL", "/etc/nvidia"],
];
const PLAIN_DEVICES = ["null", "zero", "full", "random", "urandom"].map((name) => `/dev/${name}`);
const GPU_DEVICES = /^(nvidia.*|dri|dxg|kfd|shm)$/;

/** The engine, the manifests, and every folder in which Node looks for packages. */
function listCode(): string[] {
  const folders = [ENGINE_DIR, process.execPath];
  for (let folder = ENGINE_DIR; folder !== dirname(folder); folder = dirname(folder))
    folders.push(join(folder, "node_modules"));
  return folders;
}

/** Folders and modules that the operator's settings name. */
function listNamed({
  NODE_PATH = "",
  LD_LIBRARY_PATH = "",
  LD_PRELOAD = "",
  NODE_OPTIONS = "",
}: NodeJS.ProcessEnv): string[] {
  const listed = [NODE_PATH, LD_LIBRARY_PATH, LD_PRELOAD].flatMap((value) => value.split(/[:\s]/));
  const preloaded = [...NODE_OPTIONS.matchAll(/(?:^|[\s="'])(?:file:\/\/)?(\/[^\s"'?]+)/g)].map(
    ([, path = ""]) => path,
  );
  return [...listed, ...preloaded].filter((path) => path.startsWith("/"));
}

/** What an engine child may use besides the folders of its requests. */
export function listEngineFolders(options: {
  environment: NodeJS.ProcessEnv;
  /** The manifests, and the folders of the weights. */
  models: readonly string[];
  /** Its own caches: of compiled code, verified weights and drivers. */
  caches: readonly string[];
  usesGpu: boolean;
}): AllowedFolders {
  const { environment, models, caches, usesGpu } = options;
  const gpus = usesGpu ? listNames("/dev").filter((name) => GPU_DEVICES.test(name)) : [];
  return {
    read: [...SYSTEM, ...listCode(), ...listNamed(environment), ...models].filter((path) => existsSync(path)),
    write: caches.map((path) => realpathSync(path)),
    devices: [...PLAIN_DEVICES, ...gpus.map((name) => join("/dev", name))],
  };
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
