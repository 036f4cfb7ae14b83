import { afterEach, describe, expect, it, vi } from "vitest";
import { answerError, answerJson, makeFakeFetch } from "../../../test/support/fake-fetch.ts";
import { TestXmlHttpRequest } from "../../../test/support/xml-http-request.ts";
import type { UploadProgress } from "./multipart.ts";
import { findXhrFetch } from "./xhr-fetch.ts";

afterEach(() => void vi.unstubAllGlobals());

const makeForm = () => {
  const form = new FormData();
  form.append("file", new Blob(["0123456789"]), "a.wav");
  return form;
};

function stubXhr(...answers: Parameters<typeof makeFakeFetch>) {
  const fake = makeFakeFetch(...answers);
  vi.stubGlobal("fetch", fake.fetch);
  vi.stubGlobal("XMLHttpRequest", TestXmlHttpRequest);
  const progress: UploadProgress[] = [];
  const xhrFetch = findXhrFetch((update) => progress.push(update)) as typeof fetch;
  return { xhrFetch, progress, requests: fake.requests };
}

describe("fetch over XMLHttpRequest", () => {
  it("exists only where XMLHttpRequest does", () => {
    expect(findXhrFetch(() => {})).toBeUndefined();
  });

  it("sends and returns what fetch would, and reports progress", async () => {
    const { xhrFetch, progress, requests } = stubXhr(
      answerJson({ id: "a1" }, { headers: { "x-request-id": "r:1" } }),
    );
    const init = { method: "POST", headers: { "x-api-key": "k" }, body: makeForm() };
    const response = await xhrFetch("http://a/assets", init);
    expect(response.status).toBe(200);
    expect(response.headers.get("x-request-id")).toBe("r:1");
    expect(await response.json()).toEqual({ id: "a1" });
    expect(requests[0]).toMatchObject({ method: "POST", url: "http://a/assets" });
    expect(requests[0]?.headers.get("x-api-key")).toBe("k");
    expect(progress).toEqual([
      { sentBytes: 5, totalBytes: 10 },
      { sentBytes: 10, totalBytes: 10 },
    ]);
  });

  it("returns error responses too, and rejects like fetch without a response", async () => {
    const { xhrFetch } = stubXhr(answerError(413), new TypeError("fetch failed"));
    const init = { method: "POST", body: makeForm() };
    expect((await xhrFetch("http://a/assets", init)).status).toBe(413);
    await expect(xhrFetch("http://a/assets", init)).rejects.toBeInstanceOf(TypeError);
  });

  it("returns responses without a body", async () => {
    const { xhrFetch } = stubXhr(
      () => new Response(null, { status: 204, headers: { "upload-offset": "5" } }),
    );
    const response = await xhrFetch("http://a/uploads/a", { method: "PATCH", body: makeForm() });
    expect([response.status, response.headers.get("upload-offset"), await response.text()]).toEqual([
      204,
      "5",
      "",
    ]);
  });

  it("stops when its signal aborts", async () => {
    const { xhrFetch } = stubXhr(
      ({ init: { signal } }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason as Error)),
        ),
    );
    const stop = new AbortController();
    const sent = xhrFetch("http://a/assets", { method: "POST", body: makeForm(), signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(sent).rejects.toThrow("enough");
    const late = { method: "POST", body: makeForm(), signal: stop.signal };
    await expect(xhrFetch("http://a/assets", late)).rejects.toThrow("enough");
  });
});
