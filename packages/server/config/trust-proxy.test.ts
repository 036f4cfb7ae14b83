import { describe, expect, it } from "vitest";
import { loadConfig } from "./load-config.ts";

const load = (TRUST_PROXY: string) => loadConfig({ DATA_DIR: "/data", TRUST_PROXY }).trustProxy;

describe("TRUST_PROXY", () => {
  it("[S1] takes addresses and networks, and none by default", () => {
    expect(load("")).toEqual([]);
    const given = ["127.0.0.1", "::1", "10.0.0.0/8", "fd00::/64"];
    expect(load(given.join(", "))).toEqual(given);
  });

  it.each(["true", "proxy.lan", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "127.0.0.1 ::1"])(
    "[S1] %s is a mistake",
    (given) => expect(() => load(given)).toThrow(/TRUST_PROXY/),
  );
});
