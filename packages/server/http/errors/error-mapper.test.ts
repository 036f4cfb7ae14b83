import Fastify from "fastify";
import { expect, it } from "vitest";
import { startSilentServer } from "../../../../test/support/silent-server.ts";
import { openDatabase } from "../../db/connection/open-database.ts";
import { Refusal } from "../../domain/refusal.ts";
import { sendError, toApiError, toRootError } from "./error-mapper.ts";

it.each([
  [{ code: "57P01" }, 503, "UNAVAILABLE"],
  [{ code: "57P03" }, 503, "UNAVAILABLE"],
  [{ code: "08006" }, 503, "UNAVAILABLE"],
  [{ code: "53300" }, 503, "UNAVAILABLE"],
  [{ code: "ECONNREFUSED", syscall: "connect" }, 503, "UNAVAILABLE"],
  [{ code: "ENOTFOUND", syscall: "getaddrinfo" }, 503, "UNAVAILABLE"],
  [{ code: "EHOSTUNREACH", syscall: "connect" }, 503, "UNAVAILABLE"],
  [{ code: "ENOENT", syscall: "connect" }, 503, "UNAVAILABLE"],
  [{ code: "EPIPE", syscall: "write" }, 503, "UNAVAILABLE"],
  [{ code: "ECONNRESET", syscall: "read" }, 503, "UNAVAILABLE"],
  [{ code: "57P02" }, 503, "UNAVAILABLE"],
  [{ code: "57014" }, 503, "UNAVAILABLE"],
  [{ code: "25P03" }, 503, "UNAVAILABLE"],
  [{ code: "25006" }, 503, "UNAVAILABLE"],
  [{ code: "53200" }, 503, "UNAVAILABLE"],
  [{ message: "Connection terminated unexpectedly" }, 503, "UNAVAILABLE"],
  [{ message: "Client has encountered a connection error and is not queryable" }, 503, "UNAVAILABLE"],
  [{ message: "Client was closed and is not queryable" }, 503, "UNAVAILABLE"],
  [{ message: "Query read timeout" }, 503, "UNAVAILABLE"],
  [{ message: "timeout expired" }, 503, "UNAVAILABLE"],
  [{ name: "EmbeddedPostgresError", code: "server_ended" }, 503, "UNAVAILABLE"],
  [{ name: "EmbeddedPostgresError", code: "disk_full" }, 503, "STORAGE_FULL"],
  [{ code: "53100" }, 503, "STORAGE_FULL"],
  [{ code: "ENOSPC", syscall: "mkdir" }, 503, "STORAGE_FULL"],
  [{ code: "EDQUOT", syscall: "write" }, 503, "STORAGE_FULL"],
  [{ code: "ENOENT", syscall: "open" }, 500, "INTERNAL"],
  [{ code: "23505" }, 500, "INTERNAL"],
])("[E6] [E9] %o is %s %s", async (facts, status, code) => {
  const error = Object.assign(new Error("a word of the inside"), facts);
  const app = Fastify();
  app.setErrorHandler(sendError);
  app.get("/", () => {
    throw error;
  });
  const { statusCode, headers, body } = await app.inject("/");
  expect([statusCode, JSON.parse(body).code]).toEqual([status, code]);
  expect(headers["retry-after"]).toBe(status === 503 ? "5" : undefined);
  expect(body).not.toContain(error.message);
});

it.each([
  ["ECONNREFUSED", "warn"],
  ["23505", "error"],
] as const)("[E9] %s is logged as %s: an outage is no fault of the request's code", async (code, level) => {
  const lines: string[] = [];
  const app = Fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
  app.setErrorHandler(sendError);
  app.get("/", () => {
    throw Object.assign(new Error("broken"), { code });
  });
  await app.inject("/");
  const numbers = { info: 30, warn: 40, error: 50 };
  const levels = lines.map((line) => (JSON.parse(line) as { level: number }).level);
  expect(levels.filter((one) => one !== numbers.info)).toEqual([numbers[level]]);
});

it("[E9] the supervisor's reason for a database outage is used", () => {
  const broken = new Error("Connection terminated unexpectedly");
  const mistake = new Error("something else");
  const outage = new Error("The disk is full");
  expect(toRootError(broken, () => outage)).toBe(outage);
  expect(toRootError(broken, () => undefined)).toBe(broken);
  expect(toRootError(mistake, () => outage)).toBe(mistake);
});

it("[E9] an unresponsive database is 503, also while waiting for a connection", async () => {
  await using server = await startSilentServer();
  const { db, pool } = openDatabase({
    connectionString: `postgres://127.0.0.1:${server.port}/none`,
    maxConnections: 1,
    connectTimeoutMs: 200,
  });
  const app = Fastify();
  app.setErrorHandler(sendError);
  app.get("/", () => pool.query("select 1"));
  const answers = await Promise.all([app.inject("/"), app.inject("/")]);
  expect(answers.map(({ body }) => JSON.parse(body).code)).toEqual(["UNAVAILABLE", "UNAVAILABLE"]);
  await db.destroy();
});

it("[E1] a domain refusal keeps its code, message and fields, and gets the code's status", () => {
  const details = [{ path: "url", message: "is not a URL" }];
  expect(toApiError(new Refusal("URL_INVALID", "url is not a URL", details))).toMatchObject({
    code: "URL_INVALID",
    statusCode: 400,
    message: "url is not a URL",
    details,
  });
});
