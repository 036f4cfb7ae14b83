import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BucketError } from "../../domain/storage/bucket.ts";
import { toCustomerBlobKey } from "../../domain/storage/customer-object.ts";
import type { TargetRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import { makeAddressGuard } from "../../net/address-guard.ts";
import { fetchTranscript } from "./fetch-transcript.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-transcript-"));
const server = createServer((request, response) => {
  response.statusCode = request.url === "/text" || request.url === "/broken" ? 200 : 404;
  if (request.url === "/broken") response.write("from a", () => response.destroy());
  else response.end("from a server");
});
let origin: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

type Ports = Parameters<typeof fetchTranscript>[0];

const ports = (allowed: string) =>
  ({
    assets: {
      findAsset: async (clientId: string, id: string) =>
        clientId === "client" && id !== "gone" ? { blobKey: id } : undefined,
    },
    blobs: {
      findSize: async () => 9,
      copyTo: async (key: string, path: string) => {
        writeFileSync(path, "from asset");
        if (key === "too large") throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
      },
    },
    sources: {
      listSources: async () => [{ blobKey: "the input's" }, { targetId: "stored", blobKey: "blob" }],
    },
    integrations: { findIntegration: async () => ({ storageName: "music" }) },
    buckets: {
      open: async () => ({
        read: () => Promise.reject(new BucketError("access-denied", "the bucket refuses our credentials")),
      }),
    },
    fetchDelaysMs: [],
    guard: makeAddressGuard(allowed === "" ? [] : [allowed]),
    maxBytes: 1000,
  }) as unknown as Ports;

const path = join(folder, "transcripts/target");

async function fetchFor(options: Partial<TargetRecord>, allowed = "127.0.0.1"): Promise<string> {
  const target = { id: "target", model: "alignment", ...options } as TargetRecord;
  const task = { id: "task", clientId: "client" } as TaskRecord;
  await fetchTranscript(ports(allowed), { task, target, path }, AbortSignal.timeout(10_000));
  return readFileSync(path, "utf8");
}

describe("fetchTranscript", () => {
  it("[Z1] fetches an asset or a URL", async () => {
    expect(await fetchFor({ transcriptAssetId: "kept" })).toBe("from asset");
    expect(await fetchFor({ transcriptUrl: `${origin}/text` })).toBe("from a server");
  });

  it("[T3] reads one of our links that was valid when the Task was created", async () => {
    const transcriptUrl = "http://127.0.0.1:1/files/blob?Expires=1&Signature=0";
    expect(await fetchFor({ id: "stored", transcriptUrl })).toBe("from asset");
  });

  it("[Z1] [O11] leaves no partial file for the next run", async () => {
    rmSync(path, { force: true });
    await expect(fetchFor({ transcriptUrl: `${origin}/broken` })).rejects.toMatchObject({ code: 2002 });
    await expect(fetchFor({ transcriptAssetId: "too large" })).rejects.toMatchObject({ code: "ENOSPC" });
    expect(existsSync(path)).toBe(false);
  });

  it("[Z5] reports what is wrong with the transcript", async () => {
    const failure = (message: string) => ({ code: 2002, message: expect.stringContaining(message) });
    await expect(fetchFor({ transcriptAssetId: "gone" })).rejects.toMatchObject(
      failure("The transcript asset was deleted"),
    );
    const inBucket = toCustomerBlobKey("one", "words.txt");
    await expect(fetchFor({ transcriptAssetId: inBucket })).rejects.toMatchObject(
      failure("The transcript could not be read from its bucket: the bucket refuses our credentials"),
    );
    await expect(fetchFor({ transcriptUrl: `${origin}/none` })).rejects.toMatchObject(
      failure("The transcript could not be fetched: its server answered 404"),
    );
    await expect(fetchFor({ transcriptUrl: `${origin}/text` }, "")).rejects.toMatchObject({ code: 2002 });
  });
});
