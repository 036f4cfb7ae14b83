import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeToolFolder, runTool } from "../support/tool-folder.ts";

it("[S28] the manifests are valid by the schemas of Kubernetes", async () => {
  const folder = await makeToolFolder();
  await cp(join(import.meta.dirname, "programs/kubernetes.mjs"), join(folder, "program.mjs"));
  const path = join(import.meta.dirname, "../../deploy/kubernetes/stemwright.yaml");
  const { exitCode, output } = await runTool("node", ["program.mjs", path], { cwd: folder });
  expect(exitCode, output).toBe(0);
  expect(output.trim().split("\n")).toEqual([
    "ConfigMap stemwright",
    "Service stemwright",
    "Deployment stemwright-api",
    "Deployment stemwright-worker",
  ]);
});
