import { describe, expect, it } from "vitest";
import { ANSWER_KEPT_CHARACTERS, BODY_KEPT_CHARACTERS, toKeptAnswer, toKeptBody } from "./delivery-body.ts";

describe("the logged body of a delivery", () => {
  it("[W13] omits the signatures of links, ours and those of buckets", () => {
    const targets = [
      { output: [{ link: "https://a.example/files/x.wav?Expires=1&Signature=ab" }] },
      { output: [{ link: "https://b.s3.example/x.wav?X-Amz-Signature=cd&X-Amz-Credential=ef" }] },
    ];
    const kept = toKeptBody({ url: "https://c.example/?song=1", targets });
    expect(JSON.parse(kept)).toEqual({
      url: "https://c.example/?song=1",
      targets: [
        { output: [{ link: "https://a.example/files/x.wav?…" }] },
        { output: [{ link: "https://b.s3.example/x.wav?…" }] },
      ],
    });
  });

  it("[W13] is limited in length, and has no character the database can't store", () => {
    expect(toKeptBody({ metadata: "é".repeat(100_000) })).toHaveLength(BODY_KEPT_CHARACTERS + 1);
    expect(toKeptBody({ metadata: "a\0b" })).toBe('{"metadata":"ab"}');
    expect(toKeptAnswer(`a\0${"b".repeat(5000)}`)).toBe(`a${"b".repeat(ANSWER_KEPT_CHARACTERS - 1)}…`);
  });
});
