import { expect, it } from "vitest";
import { z } from "zod";
import { describeIssue } from "./describe-issue.ts";

const first = (schema: z.ZodType, value: unknown) => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && describeIssue(issue);
};

it.each([
  [z.array(z.string()), undefined, "is required; give a list"],
  [z.array(z.string()), "x", "must be a list"],
  [z.object({}), null, "must be an object"],
  [z.string(), 7, "must be a string"],
  [z.string().max(3), "long", "must have at most 3 characters"],
  [z.number().max(5), 6, "must be at most 5"],
  [z.int("must be a whole number from 1"), "x", "must be a whole number from 1"],
  [z.literal([16, 24, 32]), 8, "must be one of 16, 24, 32"],
  [z.enum(["pending", "failed"]), "x", "must be one of pending, failed"],
  [z.array(z.string()).min(1, "must name at least one format"), [], "must name at least one format"],
])("[E1] a complaint is a sentence to act on: %#", (schema, value, sentence) => {
  expect(first(schema, value)).toBe(sentence);
});
