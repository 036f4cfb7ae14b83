import { mkdir, readdir, rm } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { asset as assetSchema } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { breakFolder } from "../../../../../test/support/break-folder.ts";
import { openLossyProxy } from "../../../../../test/support/lossy-proxy.ts";
import { startSilentServer } from "../../../../../test/support/silent-server.ts";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";

import { insertAsset } from "../../../db/assets/asset-rows.ts";
import { makeId } from "../../../domain/ids.ts";

const MAX_UPLOAD_BYTES = 100_000;
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ UPLOAD_MAX_BYTES: String(MAX_UPLOAD_BYTES) });
});
afterAll(() => api.close());

/** Every stored file, including half-written ones, and the folders of assets. */
const listStoredFiles = async () =>
  (await readdir(join(api.dataDir, "blobs"), { recursive: true })).filter((path) => path !== "assets");

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

describe("uploads", () => {
  it("[A1] [G5] returns the asset, and its link returns the bytes", async () => {
    const response = await api.upload("RIFF…", "My Song.WAV");
    expect(response.status).toBe(200);
    const asset = assetSchema.parse(await response.json());
    expect(asset).toMatchObject({ format: "wav", name: "My Song.WAV", size: 7 });
    const source = await fetch(asset.link);
    expect(await source.text()).toBe("RIFF…");
    expect(await (await api.call(`/assets/${asset.id}`)).json()).toMatchObject({
      id: asset.id,
      format: "wav",
      name: "My Song.WAV",
    });
  });

  it.each([
    ["../../etc/passwd.mp3", "passwd.mp3"],
    ["C:\\Music\\a.flac", "a.flac"],
    ["näme ☃ \u0000\u0007.ogg", "näme ☃ .ogg"],
    [`${"x".repeat(500)}.mp3`, `${"x".repeat(251)}.mp3`],
  ])("[A1] the name %j is kept as %j and leads nowhere", async (filename, name) => {
    const asset = assetSchema.parse(await (await api.upload("abc", filename)).json());
    expect(asset.name).toBe(name);
    expect((await fetch(asset.link)).status).toBe(200);
  });

  it.each([
    ["empty.wav", "", "UPLOAD_EMPTY", 400],
    ["virus.exe", "x", "UPLOAD_FORMAT_UNSUPPORTED", 400],
    ["noextension", "\u0000\u0001\u0002", "UPLOAD_FORMAT_UNSUPPORTED", 400],
    ["empty", "", "UPLOAD_EMPTY", 400],
    ["big.wav", "x".repeat(MAX_UPLOAD_BYTES + 1), "UPLOAD_TOO_LARGE", 413],
  ])("[A3] %s is refused and nothing is kept", async (filename, content, code, status) => {
    const before = await listStoredFiles();
    const response = await api.upload(content, filename);
    expect(response.status).toBe(status);
    expect(await codeOf(response)).toBe(code);
    expect(await listStoredFiles()).toHaveLength(before.length);
  });

  it("[A3] exactly the maximum size is accepted", async () => {
    expect((await api.upload("x".repeat(MAX_UPLOAD_BYTES), "full.wav")).status).toBe(200);
  });

  it("[A3] no file, a second file and a part of another name are 400, and nothing is kept", async () => {
    const before = await listStoredFiles();
    const send = (fill: (form: FormData) => void) => {
      const form = new FormData();
      fill(form);
      return api.call("/assets", { method: "POST", body: form });
    };
    expect(await codeOf(await send((form) => form.append("note", "hello")))).toBe("UPLOAD_FILE_MISSING");
    expect(await codeOf(await send((form) => form.append("other", new File(["x"], "a.wav"))))).toBe(
      "UPLOAD_FILE_MISSING",
    );
    const two = await send((form) => {
      form.append("file", new File(["x"], "a.wav"));
      form.append("file", new File(["y"], "b.wav"));
    });
    expect(await codeOf(two)).toBe("UPLOAD_FILE_EXTRA");
    expect(await listStoredFiles()).toHaveLength(before.length);
  });

  it("[A3] [A2] a form without its end is 400, and nothing is kept", async () => {
    const before = await listStoredFiles();
    const body = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nabc';
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const response = await api.call("/assets", { method: "POST", body, headers });
    expect(response.status).toBe(400);
    expect(await codeOf(response)).toBe("UPLOAD_BROKEN");
    expect(await listStoredFiles()).toHaveLength(before.length);
  });

  it.each(["", `; boundary=${"x".repeat(300)}`])(
    "[E3] a form with the boundary %j is 415",
    async (boundary) => {
      const headers = { "content-type": `multipart/form-data${boundary}` };
      const response = await api.call("/assets", { method: "POST", body: "--\r\n", headers });
      expect(response.status).toBe(415);
    },
  );

  it("[E3] JSON instead of a form is 415", async () => {
    expect((await api.post("/assets", { file: "x" })).status).toBe(415);
  });

  /** Incomplete until its 90,000 bytes have arrived. */
  const startUpload = (filename: string) => {
    const upload = httpRequest(new URL("/assets", api.address), {
      method: "POST",
      headers: {
        "x-api-key": api.account.key,
        "content-type": "multipart/form-data; boundary=x",
        "content-length": "90000",
      },
    });
    upload.write(`--x\r\ncontent-disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`);
    return upload;
  };

  it("[A2] a connection cut in the middle leaves nothing behind", async () => {
    const before = await listStoredFiles();
    const { total } = await countAssets();
    await new Promise<void>((resolve) => {
      const upload = startUpload("cut.wav");
      upload.on("error", () => resolve());
      upload.on("close", () => resolve());
      upload.write("x".repeat(20_000));
      setTimeout(() => upload.destroy(), 200);
    });
    await expect.poll(async () => (await listStoredFiles()).length, { timeout: 5000 }).toBe(before.length);
    expect((await countAssets()).total).toBe(total);
  });

  it("[E6] a store failure is our own, even in the middle of an upload, and is logged", async () => {
    const partialDir = join(api.dataDir, "blobs", "partial");
    await rm(partialDir, { recursive: true });
    const upload = startUpload("a.wav");
    upload.on("error", () => {});
    upload.write("abc");
    const response = await new Promise<IncomingMessage>((resolve) => upload.on("response", resolve));
    upload.destroy();
    await mkdir(partialDir);
    expect(response.statusCode).toBe(500);
    expect(api.logLines.some((line) => line.includes("ENOENT"))).toBe(true);
  });
});

async function countAssets(): Promise<{ total: number }> {
  return { total: Number((await api.call("/assets?take=1")).headers.get("x-total-count")) };
}

describe("assets", () => {
  it("[L1] [L2] are listed newest first, with the total, right after their upload", async () => {
    const account = await api.addAccount();
    const ids: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      const { id } = assetSchema.parse(await (await api.upload("x", `${i}.wav`, account)).json());
      ids.unshift(id);
      const [newest] = (await (await api.call("/assets?take=1", account)).json()) as { id: string }[];
      expect(newest?.id).toBe(id);
    }
    const page = async (query: string) =>
      ((await (await api.call(`/assets${query}`, account)).json()) as { id: string }[]).map(({ id }) => id);
    expect(await page("")).toEqual(ids.slice(0, 10));
    expect(await page("?skip=10")).toEqual(ids.slice(10));
    expect(await page("?skip=3&take=2")).toEqual(ids.slice(3, 5));
    expect(await page("?skip=100")).toEqual([]);
    expect((await api.call("/assets", account)).headers.get("x-total-count")).toBe("12");
  });

  it("[L4] are found by text in their name or id", async () => {
    const account = await api.addAccount();
    const names = ["Blue 50%.wav", "other.wav", "BLUE too.wav"];
    const ids: string[] = [];
    for (const name of names)
      ids.push(assetSchema.parse(await (await api.upload("x", name, account)).json()).id);
    const find = async (query: string, caller = account) => {
      const response = await api.call(`/assets?${query}`, caller);
      const found = (await response.json()) as { name: string }[];
      return [found.map(({ name }) => name), response.headers.get("x-total-count")];
    };
    expect(await find("search=blue")).toEqual([["BLUE too.wav", "Blue 50%.wav"], "2"]);
    expect(await find("search=blue&skip=1&take=1")).toEqual([["Blue 50%.wav"], "2"]);
    expect(await find("search=50%25")).toEqual([["Blue 50%.wav"], "1"]);
    expect(await find(`search=${ids[1]?.slice(2, 20)}`)).toEqual([["other.wav"], "1"]);
    expect(await find("search=nothing")).toEqual([[], "0"]);
    expect((await find("search="))[1]).toBe("3");
    expect(await find("search=blue", await api.addAccount())).toEqual([[], "0"]);
  });

  it.each(["1000000000", "9007199254740993", "9".repeat(40), "0".repeat(30)])(
    "[L1] ?skip=%s is a page like any other",
    async (skip) => {
      const admin = await api.addAccount({ role: "admin" });
      await api.upload("x", "a.wav", admin);
      const client = `/admin/clients/${admin.clientId}`;
      const lists = ["/assets", "/tasks", "/storage-integrations", "/webhooks/deliveries"];
      for (const path of [...lists, "/admin/clients", `${client}/credits/ledger`]) {
        const response = await api.call(`${path}?skip=${skip}`, { key: admin.key });
        expect([path, response.status]).toEqual([path, 200]);
        if (Number(skip) > 0) expect(await response.json()).toEqual([]);
      }
    },
  );

  it.each(["take=0", "take=101", "take=1.5", "take=x", "take=", "skip=-1", "skip=1e3", "skip=x"])(
    "[L3] ?%s is 400",
    async (query) => {
      for (const path of ["/assets", "/tasks"]) {
        const response = await api.call(`${path}?${query}`);
        expect(response.status).toBe(400);
        expect(await codeOf(response)).toBe("PAGE_INVALID");
      }
    },
  );

  it("[E4] of another client are 404, like unknown ones", async () => {
    const { id } = assetSchema.parse(await (await api.upload("x", "mine.wav")).json());
    const other = await api.addAccount();
    for (const method of ["GET", "DELETE"]) {
      const foreign = await api.call(`/assets/${id}`, { method, key: other.key });
      const unknown = await api.call(`/assets/${id.split("").reverse().join("")}`, {
        method,
        key: other.key,
      });
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
      const strip = async (response: Response) => ({ ...((await response.json()) as object), requestId: "" });
      expect(await strip(foreign)).toEqual(await strip(unknown));
    }
    expect((await api.call(`/assets/${id}`)).status).toBe(200);
  });

  it("[A4] are gone with their file after DELETE", async () => {
    const { id, link } = assetSchema.parse(await (await api.upload("x", "gone.wav")).json());
    expect((await api.call(`/assets/${id}`, { method: "DELETE" })).status).toBe(200);
    expect((await api.call(`/assets/${id}`)).status).toBe(404);
    expect((await fetch(link)).status).toBe(404);
  });

  it("[A4] are gone at once even if their file can't be removed yet, and DELETE can be repeated", async () => {
    const account = await api.addAccount();
    const uploaded = assetSchema.parse(await (await api.upload("x", "stuck.wav", account)).json());
    const { id, link } = uploaded;
    const remove = (as = account) => api.call(`/assets/${id}`, { method: "DELETE", ...as });
    const repair = await breakFolder(join(api.dataDir, "blobs", "assets"));
    const failed = await remove();
    await repair();
    expect(failed.status).toBe(503);
    expect(failed.headers.get("retry-after")).toBe("5");
    expect((await api.call(`/assets/${id}`, account)).status).toBe(404);
    expect((await api.call("/assets", account)).headers.get("x-total-count")).toBe("0");
    expect(await readdir(join(api.dataDir, "blobs", "assets"))).toContain(id);
    expect((await fetch(link)).status).toBe(404);
    expect((await remove(await api.addAccount())).status).toBe(404);
    expect(await (await remove()).json()).toMatchObject({
      id,
      name: "stuck.wav",
      createdAt: uploaded.createdAt,
    });
    expect(await readdir(join(api.dataDir, "blobs", "assets"))).not.toContain(id);
    expect((await remove()).status).toBe(404);
  });

  it.each([{}, { "idempotency-key": "one" }])(
    "[A2] keep their file where the answer to the commit was lost: %o",
    async (headers) => {
      await using proxy = await openLossyProxy();
      const lossy = await startTestApi({}, {}, proxy.toUrl);
      try {
        proxy.loseAnswer("COMMIT");
        const body = new FormData();
        body.append("file", new File(["sound"], "kept.wav"));
        const answer = await lossy.call("/assets", { method: "POST", body, headers });
        expect(answer.status).toBe(503);
        const assets = z.array(assetSchema).parse(await (await lossy.call("/assets")).json());
        expect(assets).toMatchObject([{ name: "kept.wav" }]);
        expect(await (await fetch(assets[0]?.link ?? "")).text()).toBe("sound");
      } finally {
        await lossy.close();
      }
    },
  );

  it("[A2] leave no file if the transaction failed before its commit", async () => {
    const { pool } = api.database;
    const listUnclaimed = async () => (await pool.query("select key_prefix from unclaimed_files")).rows;
    const before = [await listStoredFiles(), await listUnclaimed()];
    await pool.query("alter table assets add check (name <> 'refused.wav')");
    expect((await api.upload("sound", "refused.wav")).status).toBe(500);
    expect([await listStoredFiles(), await listUnclaimed()]).toEqual(before);
  });
});

describe("download links", () => {
  const download = async (headers: Record<string, string> = {}, method = "GET") => {
    const { link } = assetSchema.parse(await (await api.upload("0123456789", "digits.mp3")).json());
    return fetch(link, { headers, method });
  };

  it("[O3] [G4] serve the file with its headers, open to any origin", async () => {
    const response = await download({ origin: "https://app.example" });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      "content-disposition": 'attachment; filename="digits.mp3"',
      "content-length": "10",
      "content-type": "audio/mpeg",
    });
  });

  it("[O3] have the name of the upload, and one in ASCII", async () => {
    const { link } = assetSchema.parse(await (await api.upload("abc", "Ärger (live).mp3")).json());
    expect((await fetch(link)).headers.get("content-disposition")).toBe(
      "attachment; filename=\"-rger-live-.mp3\"; filename*=UTF-8''%C3%84rger%20%28live%29.mp3",
    );
  });

  it("[O3] serve a range, and reject one outside the file", async () => {
    const part = await download({ range: "bytes=2-4" });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 2-4/10",
      "234",
    ]);
    const outside = await download({ range: "bytes=10-" });
    expect([outside.status, outside.headers.get("content-range")]).toEqual([416, "bytes */10"]);
  });

  it("[O3] carry an ETag: 304 if it matches, and ranges only of the same file", async () => {
    const { link } = assetSchema.parse(await (await api.upload("0123456789", "digits.mp3")).json());
    const tag = (await fetch(link)).headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[\w-]{27}"$/);
    const known = await fetch(link, { headers: { "if-none-match": tag } });
    expect([known.status, await known.text()]).toEqual([304, ""]);
    const load = (ifRange: string) => fetch(link, { headers: { range: "bytes=2-4", "if-range": ifRange } });
    expect([(await load(tag)).status, await (await load(tag)).text()]).toEqual([206, "234"]);
    for (const other of ['"another"', "Sun, 15 Nov 2026 00:00:00 GMT"])
      expect([(await load(other)).status, await (await load(other)).text()]).toEqual([200, "0123456789"]);
  });

  it("[O3] answer HEAD with the size and no body", async () => {
    const head = await download({ range: "bytes=0-9" }, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
  });

  it("[O2] that were tampered with are 403", async () => {
    const { link } = assetSchema.parse(await (await api.upload("secret", "a.mp3")).json());
    for (const changed of [
      link.replace("a.mp3", "b.mp3"),
      link.replace(/Expires=\d/, "Expires=9"),
      link.split("?")[0] ?? "",
      `${link}0`,
      `${link}&Expires=9999999999`,
      `${link}&Signature=0`,
    ]) {
      expect((await fetch(changed)).status).toBe(403);
    }
  });
});

describe("a store that hangs", () => {
  it("[A4] [E9] delays DELETEs by ten seconds, and no other request", async () => {
    await using store = await startSilentServer();
    const hanging = await startTestApi({
      S3_BUCKET: "files",
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${store.port}`,
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
    });
    try {
      const { clientId } = hanging.account;
      const assets = Array.from({ length: 20 }, () => {
        const id = makeId();
        const file = { name: "a.wav", format: "wav", sizeBytes: 1, blobKey: `assets/${id}/a.wav` };
        return { id, clientId, createdAt: new Date(), ...file };
      });
      for (const asset of assets) await insertAsset(hanging.database.db, asset);
      const deletions = assets.map(({ id }) => hanging.call(`/assets/${id}`, { method: "DELETE" }));
      await expect.poll(async () => (await hanging.call("/assets")).headers.get("x-total-count")).toBe("0");
      expect((await hanging.call("/tasks")).status).toBe(200);
      const isAnswered = await Promise.race([deletions[0], Promise.resolve(false)]);
      expect(isAnswered).toBe(false);
      const answers = await Promise.all(deletions);
      expect(answers.map(({ status }) => status)).toEqual(assets.map(() => 503));
    } finally {
      await hanging.close();
    }
  });
});
