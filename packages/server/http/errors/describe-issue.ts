import type { z } from "zod";

const ARTICLES: Record<string, string> = { array: "a list", object: "an object", int: "a whole number" };

/** A zod issue as a sentence a person can act on. Messages written in our schemas are kept; formats and unions always have one. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type": {
      if (!issue.message.startsWith("Invalid input")) return issue.message;
      const wanted = ARTICLES[issue.expected] ?? `a ${issue.expected}`;
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
    default:
      return issue.message;
  }
}

function amount(bound: string, limit: number | bigint, origin: string): string {
  const unit = { string: " characters", array: " elements" }[origin];
  return unit === undefined ? `be ${bound} ${limit}` : `have ${bound} ${limit}${unit}`;
}
