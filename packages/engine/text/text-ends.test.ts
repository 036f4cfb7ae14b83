import { expect, it } from "vitest";
import { endsClause, endsSentence } from "./text-ends.ts";

it("[V8] sentences end with the punctuation of their script", () => {
  for (const word of ["now. ", "now?”", "です。", "吗？」", "هذا؟ ", "ہے۔", "है।", "wait… "]) {
    expect(endsSentence(word), word).toBe(true);
  }
  for (const word of ["now ", "now, ", "今日、", "3.5", "นี้ "]) expect(endsSentence(word), word).toBe(false);
});

it("[V8] clauses end with a comma, or with a space in scripts without spaces between words", () => {
  for (const word of ["now, ", "today: ", "今日、", "الحمد، ", "so – ", "นี้ "]) {
    expect(endsClause(word), word).toBe(true);
  }
  for (const word of ["now ", "今日", "นี้", "היום "]) expect(endsClause(word), word).toBe(false);
});
