import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempDir } from "./support/temp-dir.ts";

const PROJECT_DIR = join(import.meta.dirname, "..");

type Case = { folder: string; line: string };
const imports = (folder: string, module: string): Case => ({
  folder,
  line: `import { it } from "${module}";`,
});

const FORBIDDEN: Case[] = [
  imports("packages/contract", "@stemwright/engine"),
  imports("packages/engine/separation", "@stemwright/contract"),
  imports("packages/engine/request", "node-av"),
  imports("packages/engine/transcription", "onnxruntime-node"),
  imports("packages/engine/media", "onnxruntime-node"),
  imports("packages/engine/runtime", "node-av/lib"),
  imports("packages/engine/runtime", "koffi"),
  imports("packages/engine/sandbox", "node-av"),
  imports("packages/engine/dsp", "node:fs"),
  imports("packages/engine/dsp", "../media/index.ts"),
  imports("packages/engine/dsp/sources", "../../media/index.ts"),
  imports("packages/server/domain/tasks", "../../db/tasks/task-rows.ts"),
  imports("packages/server/domain", "../http/api.ts"),
  imports("packages/server/domain", "kysely"),
  imports("packages/server/domain/storage", "../../buckets/s3-bucket.ts"),
  imports("packages/server/domain", "@stemwright/engine"),
  imports("packages/server/domain/assets", "../../media/kept-stems.ts"),
  imports("packages/server/domain", "../start/start-api.ts"),
  imports("packages/server/db/tasks", "../../start/start-api.ts"),
  imports("packages/server/http/routes", "../../start/start-api.ts"),
  imports("packages/server/worker", "../start/start-api.ts"),
  imports("packages/server/http/uploads", "../routes/tasks/task-routes.ts"),
  imports("packages/server/http/requests", "../../worker/worker.ts"),
  imports("packages/server/http/access", "../api.ts"),
  imports("packages/server/http/errors", "../requests/once.ts"),
  imports("packages/server/http/limits", "../../compat/jobs/legacy-routes.ts"),
  imports("packages/server/worker/spans", "../runs/run-claimed-task.ts"),
  imports("packages/server/worker/realignments", "../../http/api.ts"),
  imports("packages/server/worker/inputs", "../spans/span-leader.ts"),
  imports("packages/server/worker/outputs", "../../start/start-api.ts"),
  imports("packages/server/compat/jobs", "../../start/start-api.ts"),
  imports("packages/server/db", "../compat/jobs/legacy-ports.ts"),
  imports("packages/server/compat/jobs", "../../worker/inputs/fetch-input.ts"),
  imports("packages/server/http/routes", "../../worker/worker.ts"),
  imports("packages/server/http", "../compat/jobs/legacy-routes.ts"),
  imports("packages/server/worker", "../http/api.ts"),
  imports("packages/server/worker", "../compat/compat-routes.ts"),
  imports("packages/server/db", "../compat/run-waiting-task.ts"),
  imports("packages/server/http", "../compat/compat-routes.ts"),
  imports("packages/server/compat/openai", "../../worker/worker.ts"),
  ...[
    "domain/tasks",
    "db/tasks",
    "worker",
    "worker/runs",
    "worker/inputs",
    "worker/spans",
    "blobs",
    "media",
    "monitoring",
    "start",
  ].map((room) => ({
    folder: `packages/server/${room}`,
    line: 'import { ApiError as it } from "@stemwright/contract";',
  })),
  imports("packages/sdk/tasks", "@stemwright/engine"),
  imports("packages/sdk/http", "node:fs"),
  imports("packages/sdk/resources", "../../server/domain/links.ts"),
  imports("packages/sdk", "zod"),
  imports("packages/dashboard/pages/tasks", "@stemwright/contract"),
  imports("packages/dashboard/parts", "../../server/domain/links.ts"),
  imports("packages/dashboard/parts", "node:fs"),
  imports("packages/cli/work", "@stemwright/server"),
  imports("packages/cli", "@stemwright/dashboard/build"),
  { folder: "packages/cli/work", line: "const it = process.env.HOME;" },
  { folder: "packages/sdk/http", line: "const it = process.env.HOME;" },
  { folder: "packages/server/http", line: "const it = process.env.HOME;" },
  { folder: "packages/engine/separation", line: "const it = process.env.HOME;" },
];
const ALLOWED: Case[] = [
  ...["http/routes/tasks", "http/access", "compat/jobs", "compat/openai"].map((room) => ({
    folder: `packages/server/${room}`,
    line: 'import { ApiError as it } from "@stemwright/contract";',
  })),
  imports("packages/engine/media", "node-av"),
  imports("packages/engine/sandbox", "koffi"),
  imports("packages/engine/runtime", "onnxruntime-node"),
  imports("packages/engine/dsp", "./fft.ts"),
  imports("packages/engine/dsp/sources", "../mix-planes.ts"),
  imports("packages/server/domain/tasks", "@stemwright/contract"),
  imports("packages/server/domain/tasks", "../credits/credit-amounts.ts"),
  imports("packages/server/worker", "@stemwright/engine"),
  imports("packages/server/worker", "../db/tasks/task-rows.ts"),
  imports("packages/server/worker/spans", "../inputs/fetch-input.ts"),
  imports("packages/server/worker/runs", "../spans/span-leader.ts"),
  imports("packages/server/http/limits", "../access/authenticate.ts"),
  imports("packages/server/http/uploads", "../requests/once.ts"),
  imports("packages/server/compat/jobs", "../../net/open-url.ts"),
  imports("packages/server/compat/jobs", "../../http/api.ts"),
  imports("packages/sdk/tasks", "@stemwright/contract"),
  imports("packages/cli/work", "@stemwright/engine"),
  imports("packages/cli/work", "@stemwright/sdk"),
  imports("packages/cli/work", "../server/become-server.ts"),
  imports("packages/dashboard/pages/tasks", "@stemwright/sdk"),
  imports("packages/dashboard/build", "node:fs"),
  { folder: "packages/server/config", line: "const it = process.env.HOME;" },
];

/** Two files that import each other, types only. */
const CYCLE = {
  "packages/contract/cycle-a.ts": "packages/contract/cycle-b.ts",
  "packages/contract/cycle-b.ts": "packages/contract/cycle-a.ts",
};

/** Lints one small file per case with the project's own rules, in a folder with the project's layout. */
describe("the linter and the rooms", () => {
  let treeDir: string;
  let complaints = "";
  const pathOf = (folder: string, name: string, index: number) => join(folder, `${name}-${index}.ts`);

  beforeAll(async () => {
    treeDir = await makeTempDir("lint");
    for (const file of ["biome.json", ".gitignore"])
      copyFileSync(join(PROJECT_DIR, file), join(treeDir, file));
    for (const [name, cases] of Object.entries({ forbidden: FORBIDDEN, allowed: ALLOWED })) {
      for (const [index, { folder, line }] of cases.entries()) {
        const path = join(treeDir, pathOf(folder, name, index));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, `${line}\n\nexport const used = it;\n`);
      }
    }
    for (const [name, other] of Object.entries(CYCLE))
      writeFileSync(
        join(treeDir, name),
        `import type { Other } from "./${basename(other)}";\nexport type { Other };\n`,
      );
    const { stdout } = spawnSync(
      join(PROJECT_DIR, "node_modules/.bin/biome"),
      ["lint", "--reporter=github", "--max-diagnostics=none"],
      {
        cwd: treeDir,
        encoding: "utf8",
      },
    );
    complaints = stdout;
  });
  afterAll(() => rmSync(treeDir, { recursive: true, force: true }));

  it.each(FORBIDDEN.map((probe, index) => ({ ...probe, index })))(
    "refuse in $folder: $line",
    ({ folder, index }) => {
      expect(complaints).toContain(pathOf(folder, "forbidden", index));
    },
  );

  it.each(Object.keys(CYCLE))("refuse an import cycle: %s", (path) => {
    expect(complaints).toContain(path);
  });

  it.each(ALLOWED.map((probe, index) => ({ ...probe, index })))(
    "allow in $folder: $line",
    ({ folder, index }) => {
      expect(complaints).not.toContain(pathOf(folder, "allowed", index));
    },
  );
});
