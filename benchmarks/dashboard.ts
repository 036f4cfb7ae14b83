import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildDashboard } from "../packages/dashboard/build/build-dashboard.ts";
import { describeRun } from "./machine.ts";

/* The size of the dashboard: what the first page loads, and each lazily loaded part. Fails if the first page exceeds its limit. */
const MAX_FIRST_PAGE_BYTES = 120 * 1024;
const RESULTS = join(import.meta.dirname, "results", "dashboard.md");

type Part = { name: string; isFirst: boolean; plainBytes: number; gzipBytes: number };

async function measureParts(folder: string): Promise<Part[]> {
  const assets = join(folder, "app", "assets");
  const page = await readFile(join(folder, "index.html"));
  const names = (await readdir(assets)).filter((name) => /\.(js|css)$/.test(name));
  const parts = await Promise.all(
    names.map(async (name) => ({
      // The hash in the name changes with each build.
      name: name.replace(/-[\w-]{8}(?=\.\w+$)/, ""),
      isFirst: page.includes(name),
      plainBytes: (await readFile(join(assets, name))).length,
      gzipBytes: (await readFile(join(assets, `${name}.gz`))).length,
    })),
  );
  return [
    { name: "index.html", isFirst: true, plainBytes: page.length, gzipBytes: gzipSync(page).length },
    ...parts,
  ];
}

const toKb = (sizeBytes: number) => (sizeBytes / 1024).toFixed(1);
const toRow = ({ name, plainBytes, gzipBytes }: Part) =>
  `| ${name} | ${toKb(plainBytes)} | ${toKb(gzipBytes)} |`;
const HEAD = ["", "| file | KB | KB gzip |", "|---|---:|---:|"];

const parts = (await measureParts(await buildDashboard())).toSorted((a, b) => b.gzipBytes - a.gzipBytes);
const first = parts.filter(({ isFirst }) => isFirst);
const firstBytes = first.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0);
const lines = [
  "# Sizes of the dashboard",
  "",
  ...describeRun(),
  "",
  `The first page is **${toKb(firstBytes)} KB** gzip; its limit is ${toKb(MAX_FIRST_PAGE_BYTES)}. \`npm run bench dashboard\` measures again.`,
  "",
  "## Loaded with the first page",
  ...HEAD,
  ...first.map(toRow),
  "",
  "## Loaded at first use",
  ...HEAD,
  ...parts.filter(({ isFirst }) => !isFirst).map(toRow),
];
await writeFile(RESULTS, `${lines.join("\n")}\n`);
console.log(lines.join("\n"));
if (firstBytes > MAX_FIRST_PAGE_BYTES) process.exitCode = 1;
