import { truncate } from "node:fs/promises";
import { join } from "node:path";
import type { NewShare, Share, SharedTask, Task, TaskExports, Words } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";
import { makeWordsTask } from "../../../../../test/support/words-task.ts";
import { deleteExpiredShares } from "../../../db/shares/share-rows.ts";

let api: TestApi;
let task: Task;
beforeAll(async () => {
  api = await startTestApi();
  const targets = [
    { model: "transcription", formats: ["srt"] },
    { model: "vocals", formats: ["wav"] },
  ];
  task = await makeWordsTask(api, targets);
});
afterAll(() => api.close());

const share = async (body: unknown = {}, id = task.id) =>
  (await (await api.post(`/tasks/${id}/shares`, body)).json()) as NewShare;
const BIG_BYTES = 64 * 1024 ** 2;

/** Without an account. */
const open = (path: string) => api.call(path, { key: null });
const faultOf = async (response: Response) => {
  const { code, message } = (await response.json()) as { code: string; message: string };
  return { status: response.status, code, message };
};
const GONE = { status: 404, code: "SHARE_UNKNOWN", message: expect.stringMatching(/expired or was revoked/) };
const expire = (id: string) =>
  api.database.pool.query("update task_shares set expires_at = now() where id = $1", [id]);

describe("share links", () => {
  it("[O13] show a Task's outputs, words and exports, and nothing about the account", async () => {
    const made = await share({ expiresInSeconds: 3600 });
    expect(made.token).toMatch(/^[0-9A-Za-z]{40}$/);
    expect(made.url).toBe(`${api.address}/app/share#${made.token}`);
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(3_600_000);
    const answer = await open(`/shares/${made.token}`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const shown = (await answer.json()) as SharedTask;
    const [spoken, vocals] = shown.targets;
    expect(Object.keys(shown).toSorted()).toEqual(["completedAt", "createdAt", "expiresAt", "targets"]);
    expect(spoken).toEqual({
      ...{
        id: task.targets[0]?.id,
        model: "transcription",
        status: "completed",
        duration: 10,
        hasWords: true,
      },
      output: [expect.objectContaining({ name: "transcription", format: "srt" })],
    });
    expect(vocals).toMatchObject({ model: "vocals", hasWords: false });
    expect(JSON.stringify(shown)).not.toContain(api.account.clientId);
    const file = await fetch(vocals?.output[0]?.link ?? "");
    expect(await file.text()).toBe("stem");
    const words = `/shares/${made.token}/targets/${spoken?.id}/words`;
    expect(((await (await open(words)).json()) as Words).text).toBe("Seven ships sailed\nacross the sea\n");
    expect(await (await open(`${words}/export?format=txt`)).text()).toBe(
      "Seven ships sailed\nacross the sea\n",
    );
  });

  it("[O13] show an edit as soon as it is saved, and are read-only", async () => {
    const { token } = await share();
    const shared = `/shares/${token}/targets/${task.targets[0]?.id}/words`;
    const body = JSON.stringify({ revision: 0, lines: [{ words: [{ text: "Eight", start: 1, end: 2 }] }] });
    const init = { method: "PUT", body, headers: { "content-type": "application/json" } };
    const changed = await fetch(new URL(shared, api.address), init);
    expect(changed.status).toBe(405);
    const path = `/tasks/${task.id}/targets/${task.targets[0]?.id}/words`;
    expect((await api.call(path, init)).status).toBe(200);
    expect(((await (await open(shared)).json()) as Words).text).toBe("Eight");
    await api.call(path, { method: "DELETE" });
  });

  it("[O13] play the Task's previews", async () => {
    const { token } = await share();
    const described = await (await open(`/shares/${token}/previews`)).json();
    expect(described).toEqual(await (await api.call(`/tasks/${task.id}/previews`)).json());
    for (const path of [
      "previews/chunks/0?version=a&tracks=input",
      "previews/peaks?version=a&tracks=input&level=256",
      "previews/spectra?version=a&tracks=input&level=2048",
    ]) {
      const shown = await faultOf(await open(`/shares/${token}/${path}`));
      expect(shown).toEqual(await faultOf(await api.call(`/tasks/${task.id}/${path}`)));
      expect(await faultOf(await open(`/shares/${"0".repeat(40)}/${path}`))).toEqual(GONE);
    }
    expect(await faultOf(await open(`/shares/${"0".repeat(40)}/previews`))).toEqual(GONE);
  });

  it("[O14] are revoked at once, listed without their tokens, and gone when they expire", async () => {
    const [kept, revoked, expired] = [await share(), await share(), await share()];
    const list = async () => (await (await api.call(`/tasks/${task.id}/shares`)).json()) as Share[];
    expect(await list()).toEqual(
      expect.arrayContaining([
        { id: kept.id, createdAt: kept.createdAt, expiresAt: kept.expiresAt, showsName: false },
      ]),
    );
    const gone = await api.call(`/tasks/${task.id}/shares/${revoked.id}`, { method: "DELETE" });
    expect(await gone.json()).toEqual({ id: revoked.id });
    expect(await faultOf(await open(`/shares/${revoked.token}`))).toEqual(GONE);
    await expire(expired.id);
    const words = `targets/${task.targets[0]?.id}/words`;
    for (const path of ["", `/${words}`, `/${words}/export?format=srt`])
      expect(await faultOf(await open(`/shares/${expired.token}${path}`))).toEqual(GONE);
    const ids = (await list()).map(({ id }) => id);
    expect(ids).toContain(kept.id);
    expect(ids).not.toContain(revoked.id);
    expect(ids).not.toContain(expired.id);
    expect((await open(`/shares/${kept.token}`)).status).toBe(200);
    const again = await api.call(`/tasks/${task.id}/shares/${revoked.id}`, { method: "DELETE" });
    expect(again.status).toBe(404);
  });

  describe("links handed out through a share", () => {
    const linkOf = async ({ token }: NewShare) => {
      const shown = (await (await open(`/shares/${token}`)).json()) as SharedTask;
      return shown.targets[1]?.output[0]?.link ?? "";
    };
    const revoke = ({ id }: NewShare) => api.call(`/tasks/${task.id}/shares/${id}`, { method: "DELETE" });
    const ENDED = {
      status: 403,
      code: "LINK_INVALID",
      message: expect.stringMatching(/share .* has ended/),
    };

    it("[O14] are refused once it is revoked or has expired, also for another range", async () => {
      const [revoked, expired, kept] = [await share(), await share(), await share()];
      const links = await Promise.all([revoked, expired, kept].map(linkOf));
      const read = (link = "", range = "bytes=1-2") => fetch(link, { headers: { range } });
      for (const link of links) expect(await (await read(link)).text()).toBe("te");
      await revoke(revoked);
      await expire(expired.id);
      for (const link of links.slice(0, 2)) {
        expect(await faultOf(await read(link, "bytes=3-"))).toEqual(ENDED);
        expect(await faultOf(await fetch(link))).toEqual(ENDED);
      }
      expect((await read(links[2])).status).toBe(206);
    });

    it("[O14] pause with the account, and can't be freed from the share", async () => {
      const link = await linkOf(await share());
      const suspend = (time: string) =>
        api.database.pool.query(`update clients set suspended_at = ${time} where id = $1`, [
          api.account.clientId,
        ]);
      await suspend("now()");
      expect(await faultOf(await fetch(link))).toEqual(ENDED);
      await suspend("null");
      expect((await fetch(link)).status).toBe(200);
      for (const changed of [link.replace(/Share=\w+&/, ""), link.replace(/Share=\w+/, "$&&Share=x")])
        expect(await faultOf(await fetch(changed))).toMatchObject({ status: 403, code: "LINK_INVALID" });
    });

    it("[O14] expire with it, if that is sooner than in an hour", async () => {
      const made = await share({ expiresInSeconds: 60 });
      const { searchParams } = new URL(await linkOf(made));
      expect(Number(searchParams.get("Expires")) * 1000).toBeLessThanOrEqual(Date.parse(made.expiresAt));
      const exported = (await (await open(`/shares/${made.token}/exports`)).json()) as TaskExports;
      expect(new URL(exported.archive?.link ?? "").searchParams.get("Expires")).toBe(
        searchParams.get("Expires"),
      );
    });

    it("[O14] running downloads end with it", async () => {
      const big = await makeWordsTask(api, [{ model: "vocals", formats: ["wav"] }]);
      const made = await share({}, big.id);
      const shown = (await (await open(`/shares/${made.token}`)).json()) as SharedTask;
      const link = shown.targets[0]?.output[0]?.link ?? "";
      const path = join(api.dataDir, "blobs", new URL(link).pathname.replace("/files/", ""));
      // More than the buffers on the way hold: the rest is sent only as it is read.
      await truncate(path, BIG_BYTES);
      for (const headers of [{}, { range: "bytes=100-" }] as Record<string, string>[]) {
        const again = await share({}, big.id);
        const { targets } = (await (await open(`/shares/${again.token}`)).json()) as SharedTask;
        const response = await fetch(targets[0]?.output[0]?.link ?? "", { headers });
        expect(response.ok).toBe(true);
        const logged = api.logLines.length;
        await api.call(`/tasks/${big.id}/shares/${again.id}`, { method: "DELETE" });
        await expect
          .poll(() => api.logLines.slice(logged).some((line) => line.includes("share of this download")))
          .toBe(true);
        await expect(response.arrayBuffer()).rejects.toThrow();
      }
      const kept = await fetch(link);
      expect((await kept.arrayBuffer()).byteLength).toBe(BIG_BYTES);
    });
  });

  it("[O14] a forged, truncated or changed token opens nothing, and looks like an expired one", async () => {
    const { token } = await share();
    const forged = [
      "x",
      "0".repeat(40),
      token.slice(0, -1),
      `${token}0`,
      token.toLowerCase() === token ? token.toUpperCase() : token.toLowerCase(),
      `${token}%00`,
      encodeURIComponent(`' or true --`),
      "a".repeat(8000),
    ];
    for (const wrong of forged) expect(await faultOf(await open(`/shares/${wrong}`))).toEqual(GONE);
  });

  it("[O14] only the hash of a token is stored, and no log has the token", async () => {
    const { token, id } = await share();
    await open(`/shares/${token}`);
    await open(`/shares/${token}/targets/x/words`);
    const { rows } = await api.database.pool.query("select * from task_shares where id = $1", [id]);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(api.logLines.some((line) => line.includes("/shares/…"))).toBe(true);
    expect(api.logLines.filter((line) => line.includes(token))).toEqual([]);
  });

  it("[O14] [E4] [K6] end with the Task and with its account; nobody else can create, list or revoke them", async () => {
    const other = await api.addAccount();
    const { id, token } = await share();
    const { key } = other;
    const answers = [
      await api.post(`/tasks/${task.id}/shares`, {}, { key }),
      await api.call(`/tasks/${task.id}/shares`, { key }),
      await api.call(`/tasks/${task.id}/shares/${id}`, { method: "DELETE", key }),
    ];
    for (const answer of answers) expect(answer.status).toBe(404);
    const second = await makeWordsTask(api);
    const ofSecond = await share({}, second.id);
    // A share of one Task gives no access to another's.
    const words = `/shares/${ofSecond.token}/targets/${task.targets[0]?.id}/words`;
    expect((await open(words)).status).toBe(404);
    const crossed = await api.call(`/tasks/${second.id}/shares/${id}`, { method: "DELETE" });
    expect(crossed.status).toBe(404);
    const suspend = (time: string) =>
      api.database.pool.query(`update clients set suspended_at = ${time} where id = $1`, [
        api.account.clientId,
      ]);
    await suspend("now()");
    expect(await faultOf(await open(`/shares/${token}`))).toEqual(GONE);
    await suspend("null");
    expect((await open(`/shares/${token}`)).status).toBe(200);
    await api.call(`/tasks/${second.id}`, { method: "DELETE" });
    expect(await faultOf(await open(`/shares/${ofSecond.token}`))).toEqual(GONE);
  });

  it("[O14] last a week by default, or a minute to a year; a Task has at most 100", async () => {
    const { createdAt, expiresAt } = await share();
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(7 * 86_400_000);
    for (const expiresInSeconds of [59, 31_536_001, 60.5, "60"])
      expect((await api.post(`/tasks/${task.id}/shares`, { expiresInSeconds })).status).toBe(400);
    const second = await makeWordsTask(api);
    await api.database.pool.query(
      `insert into task_shares (id, task_id, token_hash, expires_at)
       select 'share-' || n, $1, n::text::bytea, now() + interval '1 hour' from generate_series(1, 95) as n`,
      [second.id],
    );
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.post(`/tasks/${second.id}/shares`, {})),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = answers.find(({ status }) => status !== 200) as Response;
    expect(await faultOf(refused)).toMatchObject({ status: 409, code: "SHARES_TOO_MANY" });
  });

  it("[I1] are created once per idempotency key", async () => {
    const post = () =>
      api.call(`/tasks/${task.id}/shares`, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json", "idempotency-key": "share-once" },
      });
    const [first, second] = [await (await post()).json(), await (await post()).json()];
    expect(second).toEqual(first);
  });

  it("[R3] are swept after they expire", async () => {
    const { id } = await share();
    await expire(id);
    expect(await deleteExpiredShares(api.database.db, 1000)).toBeGreaterThan(0);
    const { rows } = await api.database.pool.query("select from task_shares where id = $1", [id]);
    expect(rows).toEqual([]);
  });
});
