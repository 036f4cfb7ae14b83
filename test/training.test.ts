import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { findPython } from "./support/find-python.ts";

const PROJECT_DIR = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(PROJECT_DIR, path), "utf8");

const pins = [...read("training/pyproject.toml").matchAll(/^ {2}"(\w+)==[\d.]+",$/gm)].map(
  ([, name]) => name,
);
const python = findPython("import sys; sys.exit(sys.version_info < (3, 11))");
const pythonWithPackages = findPython(`import ${pins.join(", ")}`);

it("the training code passes its tests", async ({ skip }) => {
  skip(pythonWithPackages === undefined, `no python3 with ${pins.join(", ")}: pip install ./training`);
  const child = spawn(
    pythonWithPackages ?? "",
    ["-m", "unittest", "discover", "-s", "training", "-p", "*_test.py", "-t", "."],
    {
      cwd: PROJECT_DIR,
      // Small tensors: more threads would only wait for each other.
      env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1", OMP_NUM_THREADS: "1" },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const [output, [exitCode]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(exitCode, output).toBe(0);
  expect(output).toMatch(/Ran \d{3} tests/);
});

it("pyproject.toml pins exactly the packages that the training code imports", ({ skip }) => {
  skip(python === undefined, "no python3 of version 3.11 or later");
  const standard = execFileSync(python ?? "", ["-c", "import sys; print(*sys.stdlib_module_names)"], {
    encoding: "utf8",
  }).split(/\s/);
  const imported = globSync("training/**/*.py", { cwd: PROJECT_DIR }).flatMap((path) =>
    [...read(path).matchAll(/^(?:import|from) (\w+)/gm)].map(([, name = ""]) => name),
  );
  const packages = imported.filter((name) => name !== "training" && !standard.includes(name));
  expect(pins).toEqual([...new Set(packages)].sort());
});

it("the commands of training/README.md exist, with their options", () => {
  const lines = [...read("training/README.md").matchAll(/python3 -m (training\.[\w.]+)([^`\n#|]*)/g)];
  const faults = lines.flatMap(([, module = "", rest = ""]) => {
    const path = `${module.replaceAll(".", "/")}.py`;
    if (!existsSync(join(PROJECT_DIR, path))) return [`${path} does not exist`];
    const source = read(path);
    const options = [...rest.matchAll(/(?<=\s)--[\w-]+/g)].map(([option]) => option);
    return options.filter((option) => !source.includes(`"${option}"`)).map((option) => `${module} ${option}`);
  });
  expect(lines.length).toBeGreaterThan(9);
  expect(faults).toEqual([]);
});
