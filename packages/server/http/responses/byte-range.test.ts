import { expect, it } from "vitest";
import { parseRange } from "./byte-range.ts";

it.each([
  [undefined, undefined],
  ["bytes=0-", { startByte: 0, endByte: 99 }],
  ["bytes=10-19", { startByte: 10, endByte: 19 }],
  ["bytes=90-1000", { startByte: 90, endByte: 99 }],
  ["bytes=0-99999999999999999999", { startByte: 0, endByte: 99 }],
  [`bytes=90-${"9".repeat(400)}`, { startByte: 90, endByte: 99 }],
  ["bytes=-99999999999999999999", { startByte: 0, endByte: 99 }],
  ["bytes=99999999999999999999-", "invalid"],
  ["bytes=-10", { startByte: 90, endByte: 99 }],
  ["bytes=-1000", { startByte: 0, endByte: 99 }],
  ["bytes=100-", "invalid"],
  ["bytes=-0", "invalid"],
  ["bytes=5-4", undefined],
  ["bytes=-", undefined],
  ["bytes=0-1,5-6", undefined],
  ["lines=0-1", undefined],
])("[O3] Range %j of 100 bytes is %j", (header, range) => {
  expect(parseRange(header, 100)).toEqual(range);
});
