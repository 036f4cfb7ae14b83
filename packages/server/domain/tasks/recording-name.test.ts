import { expect, it } from "vitest";
import { findRecordingName, toDownloadName } from "./recording-name.ts";

const assets = { findAsset: async () => ({ name: "Später Walzer.v2.wav" }) as never };
const none = { findAsset: async () => undefined };

it.each([
  ["https://a.example/music/My%20Song.mp3?x=1", "My Song"],
  ["s3://bucket/takes/one.flac", "one"],
  ["https://a.example/", undefined],
  ["https://a.example/%2e%2e%2fetc%2fpasswd.wav", ".._etc_passwd"],
  ["https://a.example/100%.wav", "100%"],
])("[EX5] a recording from %s is called %s", async (url, name) => {
  expect(await findRecordingName({ assets: none }, { clientId: "c", url })).toBe(name);
});

it("[EX5] downloads are named after the recording and the stem", async () => {
  const name = await findRecordingName({ assets }, { clientId: "c", assetId: "a" });
  expect(toDownloadName(name, "vocals.wav")).toBe("Später Walzer.v2 - vocals.wav");
  expect(toDownloadName(undefined, "vocals.wav")).toBe("vocals.wav");
});
