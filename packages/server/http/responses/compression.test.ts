import { expect, it } from "vitest";
import { findEncoding } from "./compression.ts";

it.each([
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["deflate", undefined],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["gzip, deflate, br", "br"],
  ["gzip, br;q=0.5", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0", undefined],
  ["*", "br"],
  ["*;q=0", undefined],
  ["br;q=0, *", "gzip"],
  ["gzip;q=nonsense", undefined],
])("[G10] Accept-Encoding %j takes %j", (header, encoding) => {
  expect(findEncoding(header)).toBe(encoding);
});
