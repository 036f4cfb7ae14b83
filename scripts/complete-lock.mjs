// Adds to both lock files the optional platform packages that npm left out because the registry it was made with does not
// serve them. `npm ci` refuses a lock file without them. Each entry names its platform, so npm skips it everywhere else.
import { readFileSync, writeFileSync } from "node:fs";

const LOCKS = ["package-lock.json", "test/clients/package-lock.json"];
const SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS = [
  "arm64",
  "arm",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];
const LIBRARIES = { gnu: "glibc", gnueabihf: "glibc", musl: "musl", musleabihf: "musl" };

/** Derives the platform from names such as `@rolldown/binding-linux-arm64-musl`. */
function readPlatform(name) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.filter((word) => word in LIBRARIES).map((word) => LIBRARIES[word]);
  if (os.length === 0 && cpu.length === 0) throw new Error(`no platform in the name of ${name}`);
  return {
    cpu,
    ...(os.includes("linux") && libc.length > 0 ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  };
}

for (const name of LOCKS)
  console.log(`${complete(new URL(`../${name}`, import.meta.url))} platform packages added to ${name}`);

function complete(path) {
  const lock = JSON.parse(readFileSync(path, "utf8"));
  const isLocked = (parent, name) =>
    `node_modules/${name}` in lock.packages || `${parent}/node_modules/${name}` in lock.packages;
  let added = 0;
  for (const [parent, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (isLocked(parent, name)) continue;
      const platform = readPlatform(name);
      lock.packages[`node_modules/${name}`] = {
        version,
        ...platform,
        ...(dev ? { dev } : {}),
        optional: true,
      };
      added += 1;
    }
  }
  if (added === 0) return 0;
  const [root, ...others] = Object.entries(lock.packages);
  lock.packages = Object.fromEntries([root, ...others.sort(([a], [b]) => a.localeCompare(b, "en"))]);
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  return added;
}
