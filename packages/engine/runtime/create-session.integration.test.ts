import { join } from "node:path";
import { expect, it } from "vitest";
import { createSession } from "./create-session.ts";
import { EXECUTION_PROVIDERS } from "./execution-provider.ts";

const graphPath = join(import.meta.dirname, "../../../weights/dialogue-music-effects/model.onnx");

it.each(EXECUTION_PROVIDERS)(
  "[S3] %s is used, or the CPU instead with a notice that says why",
  async (wanted) => {
    const notices: string[] = [];
    const { session, executionProvider } = await createSession(graphPath, {
      threads: 1,
      executionProvider: wanted,
      onNotice: (notice) => notices.push(notice),
    });
    expect(session.outputNames).toHaveLength(1);
    if (executionProvider === wanted) expect(notices).toEqual([]);
    else {
      expect(executionProvider).toBe("cpu");
      expect(notices).toEqual([expect.stringMatching(new RegExp(`^The execution provider ${wanted} .{60}`))]);
    }
  },
);

it("an invalid graph file is a network error on every provider", async () => {
  const loading = createSession(import.meta.filename, { threads: 1, executionProvider: "webgpu" });
  await expect(loading).rejects.toMatchObject({ name: "EngineError", kind: "network-failed" });
});
