import type { UploadProgress } from "./multipart.ts";

/** The parts of XMLHttpRequest we use; lib.dom is not among our types. */
type Xhr = {
  upload: {
    onprogress: ((event: { loaded: number; total: number; lengthComputable: boolean }) => void) | null;
  };
  status: number;
  statusText: string;
  response: ArrayBuffer;
  responseType: string;
  withCredentials: boolean;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
};

const findXhr = () => (globalThis as { XMLHttpRequest?: new () => Xhr }).XMLHttpRequest;

function toResponse(xhr: Xhr): Response {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r\n/);
  const headers = lines.filter(Boolean).map((line): [string, string] => {
    const [name = "", ...value] = line.split(":");
    return [name.trim(), value.join(":").trim()];
  });
  // A 204 can't even have an empty body.
  return new Response(xhr.response.byteLength === 0 ? null : xhr.response, {
    status: xhr.status,
    statusText: xhr.statusText,
    headers,
  });
}

/** A fetch over XMLHttpRequest that reports upload progress. Undefined outside browsers. */
export function findXhrFetch(onProgress: (progress: UploadProgress) => void): typeof fetch | undefined {
  const XMLHttpRequest = findXhr();
  if (!XMLHttpRequest) return undefined;
  return (url, init = {}) =>
    new Promise((resolve, reject) => {
      const { signal } = init;
      signal?.throwIfAborted();
      const xhr = new XMLHttpRequest();
      const abort = () => xhr.abort();
      const settle = (end: () => void) => () => {
        signal?.removeEventListener("abort", abort);
        end();
      };
      xhr.open(init.method ?? "GET", String(url));
      new Headers(init.headers).forEach((value, name) => {
        xhr.setRequestHeader(name, value);
      });
      xhr.responseType = "arraybuffer";
      xhr.withCredentials = init.credentials === "include";
      xhr.upload.onprogress = ({ loaded, total, lengthComputable }) =>
        onProgress({ sentBytes: loaded, totalBytes: lengthComputable ? total : undefined });
      xhr.onload = settle(() => resolve(toResponse(xhr)));
      xhr.onerror = settle(() => reject(new TypeError("Upload failed")));
      xhr.onabort = settle(() => reject(signal?.reason));
      signal?.addEventListener("abort", abort, { once: true });
      xhr.send(init.body);
    });
}
