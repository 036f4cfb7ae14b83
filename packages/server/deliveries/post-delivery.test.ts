import { expect, it } from "vitest";
import { startReceiver } from "../../../test/support/receiver.ts";
import { makeAddressGuard } from "../net/address-guard.ts";
import { postDelivery } from "./post-delivery.ts";

it.each([
  ["ann:p%40ss", "ann:p@ss"],
  ["ann:50%", "ann:50%"],
  ["%zz:%", "%zz:%"],
  [":pass", ":pass"],
])("[W10] a webhook to a URL with the login %s is called with it", async (login, sent) => {
  const receiver = await startReceiver();
  const guard = makeAddressGuard(["127.0.0.1"]);
  const { signal } = new AbortController();
  const call = { guard, headers: {}, body: Buffer.from("{}"), timeoutMs: 5000, signal };
  const url = receiver.url.replace("//", `//${login}@`);
  expect(await postDelivery({ ...call, url })).toEqual({ statusCode: 204, answer: "" });
  const authorization = `Basic ${Buffer.from(sent).toString("base64")}`;
  expect(receiver.calls).toMatchObject([{ headers: { authorization } }]);
  await guard.close();
  await receiver.close();
});
