import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const program = `
  import { GraphThread } from "${new URL("./graph-thread.ts", import.meta.url).href}";
  import { GraphBuilder } from "${new URL("./onnx/graph-builder.ts", import.meta.url).href}";
  const graph = new GraphBuilder();
  graph.output(graph.named("y", graph.sigmoid(graph.input("x", [2]))));
  const chain = await GraphThread.startChain({ threads: 1 });
  const port = (name) => ({ name, shape: [2] });
  await chain.add({ file: graph.toBytes(), inputs: [port("x")], outputs: [port("y")] });
  process.exit(0);
`;

it("sessions send no telemetry: nothing is queued, in the main thread or in another", () => {
  const folder = mkdtempSync(join(tmpdir(), "no-telemetry-"));
  const home = join(folder, "home");
  mkdirSync(home);
  writeFileSync(join(folder, "program.mjs"), program);
  const { ORT_DISABLE_TELEMETRY: _, XDG_CACHE_HOME: __, ...environment } = process.env;
  execFileSync(process.execPath, [join(folder, "program.mjs")], {
    env: { ...environment, HOME: home, TMPDIR: home },
  });
  expect(readdirSync(home)).toEqual([]);
});
