import { describe, expect, it } from "vitest";
import { isOwnLink, toOwnLink } from "./own-link.ts";

const SIGNED = `files/outputs/a/vocals.wav?Expires=1&Signature=${"0f".repeat(32)}`;

describe("a download link in a page", () => {
  it.each([
    [`https://stems.example/audio/${SIGNED}`, `http://192.168.1.5:8080/audio/${SIGNED}`],
    [`http://localhost:8080/${SIGNED}`, `http://192.168.1.5:8080/audio/${SIGNED}`],
    [
      "https://b.s3.amazonaws.com/files/x?X-Amz-Signature=abc",
      "https://b.s3.amazonaws.com/files/x?X-Amz-Signature=abc",
    ],
  ])("[PG5] %s is %s", (link, expected) => {
    const base = "http://192.168.1.5:8080/audio/";
    expect(toOwnLink(link, base)).toBe(expected);
    expect(isOwnLink(toOwnLink(link, base), base)).toBe(!link.includes("amazonaws"));
  });
});
