import { expect, it } from "vitest";
import { describeAgent } from "./describe-agent.ts";

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 Version/19.0 Mobile Safari/604.1",
    "Safari on iOS",
  ],
  ["curl/8.9.1", "curl"],
  ["", "Unknown program"],
])("[PE5] %s is %s", (agent, text) => {
  expect(describeAgent(agent)).toBe(text);
});
