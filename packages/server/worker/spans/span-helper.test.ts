import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import type { SpanWork } from "../../domain/spans/span-record.ts";
import { SpanHelper, type SpanHelperPorts } from "./span-helper.ts";

const span: SpanWork = {
  ...{ taskId: "task", token: "token", part: "part", index: 0 },
  ...{ work: "{}", inputKey: "input" },
};

it.each([
  { code: "ENOSPC", isFault: false },
  { code: "53100", isFault: false },
  { code: "EINVAL", isFault: true },
])(
  "[Q21] [Q15] a span that fails with $code is returned, as a fault of the helper: $isFault",
  async (given) => {
    const { code, isFault } = given;
    const released = Promise.withResolvers<{ isFault: boolean }>();
    const spans = [span];
    const helper = new SpanHelper(
      {
        queue: {
          claim: async () => spans.pop(),
          hold: async () => true,
          end: async () => true,
          release: async (_run, options) => released.resolve(options),
        },
        ownBlobs: {
          copyTo: (_key, path) => writeFile(path, "sound"),
          write: async () => ({ sizeBytes: 0 }),
          delete: async () => {},
        },
        workDir: await makeTempDir("span-helper"),
        engine: { runSpan: () => Promise.reject(Object.assign(new Error(code), { code })) },
        workerId: "worker",
        log: { info: () => {}, warn: () => {} },
        during: (_taskId, work) => work(),
      } satisfies SpanHelperPorts,
      new AbortController().signal,
    );
    const helping = helper.begin();
    helping.look();
    expect(await released.promise).toEqual({ isFault });
    await helping.stop({ atOnce: true });
  },
);
