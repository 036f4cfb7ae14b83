import type { z } from "zod";

const ARTICLES: Record<string, string> = { array: "a list", object: "an object", int: "a whole number" };
const FORMATS: Record<string, string> = { email: "an email address", url: "a URL" };
const toNoun = (expected: string) => ARTICLES[expected] ?? `a ${expected}`;

/** A zod issue as a sentence a person can act on. Messages written in our schemas are kept. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type": {
      if (!issue.message.startsWith("Invalid input")) return issue.message;
      const wanted = toNoun(issue.expected);
      return issue.message.endsWith("received undefined")
        ? `is required; give ${wanted}`
        : `must be ${wanted}`;
    }
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    case "too_big":
      return issue.message.startsWith("Too big")
        ? `must ${amount("at most", issue.maximum, issue.origin)}`
        : issue.message;
    case "too_small":
      return issue.message.startsWith("Too small")
        ? `must ${amount("at least", issue.minimum, issue.origin)}`
        : issue.message;
    case "invalid_format":
      return issue.message.startsWith("Invalid ")
        ? `must be ${FORMATS[issue.format] ?? "in another form"}`
        : issue.message;
    case "invalid_union":
      return issue.message === "Invalid input" ? describeUnion(issue.errors) : issue.message;
    default:
      return issue.message;
  }
}

/** What is wrong with the one alternative whose type fits; if none fits, the alternatives. */
function describeUnion(alternatives: readonly z.core.$ZodIssue[][]): string {
  const firsts = alternatives.flatMap(([issue]) => issue ?? []);
  const fitting = firsts.filter(({ code }) => code !== "invalid_type" && code !== "invalid_value");
  const [only] = fitting;
  if (only && fitting.length === 1) return describeIssue(only);
  return firsts
    .map(describeIssue)
    .map((sentence, index) => (index === 0 ? sentence : sentence.replace(/^must be /, "")))
    .join(", or ");
}

function amount(bound: string, limit: number | bigint, origin: string): string {
  const unit = { string: " characters", array: " elements" }[origin];
  return unit === undefined ? `be ${bound} ${limit}` : `have ${bound} ${limit}${unit}`;
}
