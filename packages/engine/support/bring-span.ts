import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SpanResult } from "../separation/spans/run-span.ts";
import type { MadeSpan } from "../separation/spans/span-exchange.ts";

/** Copies a span's stems as a worker delivers them: each in a separate file. */
export function bringSpan(result: SpanResult, folder: string): MadeSpan {
  if (result.kind !== "made") throw new Error("the span was not made");
  const files = result.files.map(({ pass, stem, path, startByte, sizeBytes }) => {
    const brought = join(mkdtempSync(join(folder, "brought-")), stem);
    writeFileSync(brought, readFileSync(path).subarray(startByte, startByte + sizeBytes));
    return { pass, stem, path: brought };
  });
  return { files };
}
