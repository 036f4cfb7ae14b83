import { expect, it } from "vitest";
import { explainStartError } from "./explain-start-error.ts";

const fail = (code: string) => Object.assign(new Error("could not write init file"), { code });

it.each(["53100", "ENOSPC", "EDQUOT"])(
  "[S1] a full disk (%s) is reported in a sentence, with what to do",
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

const outside = () => ({ dataDir: "/data", databaseUrl: "postgres://x:secret@db" });

it.each([
  ["ECONNREFUSED", /can't be reached: start it/],
  ["ENOTFOUND", /host that could not be resolved: correct DATABASE_URL/],
  ["08001", /has no host that accepts writes: start the primary/],
  ["25006", /takes no writes: name the primary in DATABASE_URL, or all hosts/],
  ["28P01", /refuses the user or the password: correct them/],
])("[S1] a database that lets nobody in (%s) is told in a sentence", (code, sentence) => {
  expect(explainStartError(fail(code), outside)).toEqual({
    message: expect.stringMatching(sentence),
    exitCode: 2,
  });
});

it("[S1] causes count: a full disk in a migration is reported as such, another reason is shown", () => {
  const full = new Error("migration 0001.sql failed", { cause: fail("53100") });
  expect(explainStartError(full, outside).message).toMatch(/^The disk is full/);
  const wrong = new Error("migration 0001.sql failed", { cause: fail("42601") });
  const { message, exitCode } = explainStartError(wrong, outside);
  expect(message).toMatch(/migration 0001.sql failed.*caused by Error: could not write init file/s);
  expect(exitCode).toBe(1);
});

it("an unforeseen error is reported with its stack", () => {
  const error = fail("EIO");
  const told = explainStartError(error, () => ({ dataDir: "/data", databaseUrl: undefined }));
  expect(told).toEqual({ message: error.stack, exitCode: 1 });
});
