import { expect, it } from "vitest";
import { explainStartError } from "./explain-start-error.ts";

const fail = (code: string) => Object.assign(new Error("could not write init file"), { code });

it.each(["53100", "ENOSPC", "EDQUOT"])(
  "[S1] a full disk (%s) is told in a sentence, with what to do",
  (code) => {
    const embedded = explainStartError(fail(code), () => ({ dataDir: "/data", databaseUrl: undefined }));
    expect(embedded).toEqual({
      message: expect.stringMatching(/^The disk is full: .* in \/data, .*Free some space and start again/),
      exitCode: 2,
    });
    const outside = explainStartError(fail(code), () => ({ dataDir: "/data", databaseUrl: "postgres://x" }));
    expect(outside).toEqual({
      message: expect.stringMatching(/^The disk is full \(could not write init file\)\. Free some space/),
      exitCode: 2,
    });
  },
);

it("what nobody foresaw is told with where it happened", () => {
  const error = fail("EIO");
  const told = explainStartError(error, () => ({ dataDir: "/data", databaseUrl: undefined }));
  expect(told).toEqual({ message: error.stack, exitCode: 1 });
});
