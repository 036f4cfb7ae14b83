type ProgressListener = (event: { loaded: number; total: number; lengthComputable: boolean }) => void;

/** The parts of a browser's XMLHttpRequest that an upload needs, over fetch. Reports progress twice: halfway and at the end. */
export class TestXmlHttpRequest {
  readonly upload: { onprogress: ProgressListener | null } = { onprogress: null };
  status = 0;
  statusText = "";
  response = new ArrayBuffer(0);
  responseType = "";
  withCredentials = false;
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;
  #method = "";
  #url = "";
  #headers: [string, string][] = [];
  #responseHeaders = new Headers();
  readonly #stop = new AbortController();

  open(method: string, url: string): void {
    this.#method = method;
    this.#url = url;
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers.push([name, value]);
  }

  getAllResponseHeaders(): string {
    return [...this.#responseHeaders].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  }

  send(body: FormData): void {
    const total = (body.get("file") as File).size;
    this.upload.onprogress?.({ loaded: Math.floor(total / 2), total, lengthComputable: true });
    fetch(this.#url, { method: this.#method, headers: this.#headers, body, signal: this.#stop.signal })
      .then(async (response) => {
        this.upload.onprogress?.({ loaded: total, total, lengthComputable: true });
        this.#responseHeaders = response.headers;
        this.response = await response.arrayBuffer();
        this.status = response.status;
        this.onload?.();
      })
      .catch(() => (this.#stop.signal.aborted ? this.onabort?.() : this.onerror?.()));
  }

  abort(): void {
    this.#stop.abort();
  }
}
