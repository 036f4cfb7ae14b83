import { describe, expect, it } from "vitest";
import { splitLogin } from "./url-login.ts";

describe("splitLogin", () => {
  it.each([
    ["https://media.example/a b.wav?x=1@2#y@z", "https://media.example/a b.wav?x=1@2#y@z", undefined],
    ["https://ann:s3cret@media.example/a b.wav?q=@", "https://media.example/a b.wav?q=@", "ann:s3cret"],
    ["HTTPS://ann@Media.Example:8443", "HTTPS://Media.Example:8443", "ann:"],
    ["https://a%40b:p%3Aw%2F@media.example/x", "https://media.example/x", "a@b:p:w/"],
    ["https://ann:p@ss@media.example/x", "https://media.example/x", "ann:p@ss"],
    ["https:\\\\ann:pw@media.example\\x", "https:\\\\media.example\\x", "ann:pw"],
    ["ht\ntps://ann:p\nw@media.example/x", "https://media.example/x", "ann:pw"],
    [" https://ann:pw@media.example/é ", " https://media.example/é ", "ann:pw"],
    ["\0\thttps://ann:pw@media.example/é\n", "\0\thttps://media.example/é\n", "ann:pw"],
    ["https://ann:p\nw@media.example/é\t?q", "https://media.example/é\t?q", "ann:pw"],
    ["https:/\n/ann:pw@media.example/é", "https://media.example/é", "ann:pw"],
    ["https://ann:%zz@media.example/x", "https://media.example/x", "ann:%zz"],
    ["s3://bucket/a@b", "s3://bucket/a@b", undefined],
    ["no url", "no url", undefined],
  ])("[U2] %j is %j with the login %j", (given, url, login) => {
    expect(splitLogin(given)).toEqual(login === undefined ? { url } : { url, login });
  });
});
