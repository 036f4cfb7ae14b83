import { expect, it } from "vitest";
import { startHealthServer } from "./health-server.ts";

it("[Q19] a worker with a health port reports liveness, and whether and why it would claim no Task", async () => {
  let fault: string | undefined = "the database is out of reach";
  const server = await startHealthServer({ host: "127.0.0.1", port: 0, findFault: () => fault });
  const ask = async (path: string) => {
    const response = await fetch(server.address + path);
    return [response.status, await response.json()];
  };
  expect(await ask("/health/live")).toEqual([200, { status: "ok" }]);
  expect(await ask("/health/ready")).toEqual([503, { status: "unavailable", message: fault }]);
  fault = undefined;
  expect(await ask("/health/ready?x=1")).toEqual([200, { status: "ok" }]);
  expect((await ask("/tasks"))[0]).toBe(404);
  await server.close();
});
