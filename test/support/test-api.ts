import { rm } from "node:fs/promises";
import type { KeyRole } from "@stemwright/contract";
import { loadConfig } from "../../packages/server/config/load-config.ts";
import { insertClient } from "../../packages/server/db/accounts/client-rows.ts";
import { insertKey } from "../../packages/server/db/accounts/key-rows.ts";
import type { DeliveryOptions } from "../../packages/server/deliveries/start-deliveries.ts";
import { makeKey } from "../../packages/server/domain/accounts/key-secrets.ts";
import { makeId } from "../../packages/server/domain/ids.ts";
import type { Dashboard } from "../../packages/server/http/dashboard/load-dashboard.ts";
import { makeLog } from "../../packages/server/log/make-log.ts";
import { startApi } from "../../packages/server/start/start-api.ts";
import { makeResponseChecker, type OpenApi } from "./openapi.ts";
import { makeTempDir } from "./temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "./test-database.ts";

export type TestAccount = { clientId: string; key: string; keyId: string };

export type TestApi = {
  address: string;
  dataDir: string;
  database: TestDatabase;
  logLines: string[];
  /** A request with the first account's key, unless another or none is given. The response is checked against /openapi.json. */
  call(path: string, init?: RequestInit & { key?: string | null }): Promise<Response>;
  post(path: string, body: unknown, init?: { key?: string | null }): Promise<Response>;
  upload(content: Uint8Array | string, filename: string, init?: { key?: string | null }): Promise<Response>;
  addAccount(options?: { role?: KeyRole; isMetered?: boolean }): Promise<TestAccount>;
  account: TestAccount;
  close(): Promise<void>;
};

/** The real API on a real database and store, listening on a free port. */
export async function startTestApi(
  environment: Record<string, string> = {},
  deliveries: Partial<DeliveryOptions> = {},
  /** Changes the connection to the same database, for example to a proxy. */
  toDatabaseUrl: (url: string) => string = (url) => url,
  dashboard?: Dashboard | string,
): Promise<TestApi> {
  const dataDir = await makeTempDir("api");
  const database = await openTestDatabase();
  const config = loadConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_SECOND: "0",
    // Many requests at once must not be shed because the machine is slow.
    REQUESTS_AT_ONCE: "1000",
    ...environment,
  });
  const logLines: string[] = [];
  const log = makeLog({ ...config, logLevel: "debug" }, "api", { write: (line) => void logLines.push(line) });
  const api = await startApi({
    config,
    databaseUrl: toDatabaseUrl(database.url),
    log,
    deliveries,
    ...(dashboard === undefined ? {} : { dashboard: Promise.resolve(dashboard) }),
  });

  const addAccount: TestApi["addAccount"] = async ({ role = "client", isMetered = false } = {}) => {
    const clientId = makeId();
    const key = makeKey();
    await insertClient(database.db, { id: clientId, name: "Test", isMetered });
    const keyId = await insertKey(database.db, { clientId, name: "Test", role, secret: key });
    return { clientId, key, keyId };
  };
  const account = await addAccount();

  let checker: Promise<ReturnType<typeof makeResponseChecker>> | undefined;
  const loadChecker = async () =>
    makeResponseChecker((await (await fetch(new URL("/openapi.json", api.address))).json()) as OpenApi);
  const call: TestApi["call"] = async (path, { key = account.key, ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (key !== null) headers.set("x-api-key", key);
    const url = new URL(path, api.address);
    const response = await fetch(url, { ...init, headers });
    checker ??= loadChecker();
    const mistake = await (await checker)(init.method ?? "GET", url.pathname, response);
    if (mistake !== undefined) throw new Error(mistake);
    return response;
  };
  return {
    address: api.address,
    dataDir,
    database,
    logLines,
    account,
    addAccount,
    call,
    post: (path, body, init) =>
      call(path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
        ...init,
      }),
    upload: (content, filename, init) => {
      const form = new FormData();
      form.append(
        "file",
        new File([typeof content === "string" ? content : new Uint8Array(content)], filename),
      );
      return call("/assets", { method: "POST", body: form, ...init });
    },
    async close() {
      await api.close();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
