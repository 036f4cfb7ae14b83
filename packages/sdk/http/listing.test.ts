import { describe, expect, it } from "vitest";
import { answerJson, makeFakeFetch } from "../../../test/support/fake-fetch.ts";
import { Stemwright } from "../index.ts";

/** A service whose Tasks may be added and deleted; newest first. */
function makeTasks(count: number) {
  const ids = Array.from({ length: count }, (_, index) => `t${index}`);
  const { fetch, requests } = makeFakeFetch(({ url }) => {
    const { searchParams } = new URL(url);
    const skip = Number(searchParams.get("skip") ?? 0);
    const page = ids.slice(skip, skip + Number(searchParams.get("take") ?? 10)).map((id) => ({ id }));
    return answerJson(page, { headers: { "x-total-count": String(ids.length) } });
  });
  return { ids, requests, tasks: new Stemwright({ baseUrl: "http://a", fetch }).tasks };
}
const idsOf = (count: number, first = 0) => Array.from({ length: count }, (_, index) => `t${first + index}`);

describe("[L1] a list", () => {
  it("is iterated page by page, as far as needed", async () => {
    const { tasks, requests } = makeTasks(250);
    const seen: string[] = [];
    for await (const { id } of tasks.list()) {
      seen.push(id);
      if (seen.length === 150) break;
    }
    expect(seen).toEqual(idsOf(150));
    expect(requests.map(({ url }) => url)).toEqual([
      "http://a/tasks?skip=0&take=100",
      "http://a/tasks?skip=100&take=100",
    ]);
    expect((await tasks.list().toArray()).map(({ id }) => id)).toEqual(idsOf(250));
    expect(requests).toHaveLength(5);
  });

  it("returns one page with the total", async () => {
    const { tasks, requests } = makeTasks(25);
    const page = await tasks.list({ skip: 20, take: 3 }).page();
    expect(page).toEqual({ items: [{ id: "t20" }, { id: "t21" }, { id: "t22" }], total: 25 });
    expect(requests).toHaveLength(1);
  });

  it("starts at the given offset, with the given page size", async () => {
    const { tasks, requests } = makeTasks(25);
    expect((await tasks.list({ skip: 5, take: 8 }).toArray()).map(({ id }) => id)).toEqual(idsOf(20, 5));
    expect(requests).toHaveLength(3);
  });

  it("yields nothing twice while items are added", async () => {
    const { tasks, ids } = makeTasks(20);
    const seen: string[] = [];
    for await (const { id } of tasks.list({ take: 5 })) {
      seen.push(id);
      if (seen.length % 5 === 0) ids.unshift(`new${ids.length}`, `newer${ids.length}`);
    }
    expect(seen).toEqual(idsOf(20));
  });

  it("skips nothing while yielded items are deleted", async () => {
    const { tasks, ids } = makeTasks(23);
    const seen: string[] = [];
    for await (const { id } of tasks.list({ take: 5 })) {
      seen.push(id);
      ids.splice(ids.indexOf(id), 1);
    }
    expect(seen).toEqual(idsOf(23));
    expect(ids).toEqual([]);
  });

  it("may be empty", async () => {
    expect(await makeTasks(0).tasks.list().toArray()).toEqual([]);
  });
});
