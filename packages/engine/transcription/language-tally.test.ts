import { expect, it } from "vitest";
import { LanguageTally } from "./language-tally.ts";

it("[V6] the language is that of the whole recording; a confident window may have another", () => {
  const tally = new LanguageTally();
  tally.add(
    new Map([
      ["en", 0.4],
      ["de", 0.6],
    ]),
    5,
  );
  tally.add(
    new Map([
      ["en", 0.9],
      ["de", 0.1],
    ]),
    30,
  );
  tally.add(
    new Map([
      ["en", 0.95],
      ["de", 0.05],
    ]),
    25,
  );
  expect(tally.main.language).toBe("en");
  expect(tally.main.confidence).toBeCloseTo((2 + 27 + 23.75) / 60);
  expect(
    tally.choose(
      new Map([
        ["de", 0.55],
        ["en", 0.45],
      ]),
      20,
    ),
  ).toBe("en");
  expect(
    tally.choose(
      new Map([
        ["de", 0.8],
        ["en", 0.2],
      ]),
      20,
    ),
  ).toBe("de");
  expect(
    tally.choose(
      new Map([
        ["de", 0.8],
        ["en", 0.2],
      ]),
      2,
    ),
  ).toBe("en");
  expect(
    tally.choose(
      new Map([
        ["de", 0.95],
        ["en", 0.05],
      ]),
      2,
    ),
  ).toBe("de");
});
