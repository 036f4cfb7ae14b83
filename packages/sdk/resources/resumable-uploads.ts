import type { Asset, Upload } from "@stemwright/contract";
import { StemwrightError } from "../errors.ts";
import { type Listing, type ListQuery, makeListing } from "../http/listing.ts";
import { route } from "../http/route.ts";
import type { Call, Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

/** A file that is sent in several requests. */
export type UploadStart = {
  /** File name with extension. */
  name: string;
  sizeBytes: number;
  contentType?: string | undefined;
  /** Anything by which you find the upload again in `list`. */
  fingerprint?: string | undefined;
};

/** Base64 of UTF-8, which `btoa` does not take. */
const toBase64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

const TUS = { "tus-resumable": "1.0.0" };

/**
 * Resumable uploads, piece by piece, by the tus protocol. `client.assets.upload` does all this for large files.
 *
 * @example
 * const { id } = await client.uploads.create({ name: "film.mp4", sizeBytes: file.size });
 * const { offset } = await client.uploads.get(id);
 * await client.uploads.append(id, offset, file.slice(offset));
 * const asset = await client.uploads.complete(id);
 */
export class ResumableUploads {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async create(start: UploadStart, options: RequestOptions = {}): Promise<{ id: string; offset: number }> {
    const { name, contentType, fingerprint, sizeBytes } = start;
    const metadata = Object.entries({ filename: name, filetype: contentType, fingerprint })
      .filter(([, value]) => value)
      .map(([key, value = ""]) => `${key} ${toBase64(value)}`);
    const headers = {
      ...TUS,
      "upload-length": String(sizeBytes),
      "upload-metadata": metadata.join(),
    };
    const { headers: answer } = await this.#transport.open(
      { method: "POST", path: "/uploads", headers },
      options,
    );
    const id = /([^/?]+)(\?.*)?$/.exec(answer.get("location") ?? "")?.[1];
    if (!id) throw new StemwrightError("The service named no upload; check baseUrl");
    return { id, offset: Number(answer.get("upload-offset") ?? 0) };
  }

  /** An upload straight into the service's bucket: send its `parts` to their URLs, then `complete` it. */
  createDirect(
    { name, sizeBytes: size, contentType, fingerprint }: UploadStart,
    options?: RequestOptions,
  ): Promise<Upload> {
    const json = { name, size, contentType, fingerprint };
    return this.#transport.load({ method: "POST", path: "/uploads/direct", json }, options);
  }

  /** Unfinished uploads, newest first. */
  list(query: ListQuery = {}, options?: RequestOptions): Listing<Upload> {
    return makeListing(this.#transport, { path: "/uploads", query }, options);
  }

  get(id: string, options?: RequestOptions): Promise<Upload> {
    return this.#transport.load({ method: "GET", path: route`/uploads/${id}` }, options);
  }

  /** Sends the bytes from `offset` on; not retried, because only the service knows how many arrived. Returns how many are stored. */
  async append(
    id: string,
    offset: number,
    content: Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
    options: RequestOptions & Pick<Call, "fetch"> = {},
  ): Promise<number> {
    const { fetch, ...rest } = options;
    const headers = {
      ...TUS,
      "upload-offset": String(offset),
      "content-type": "application/offset+octet-stream",
    };
    const { headers: answer } = await this.#transport.open(
      {
        method: "PATCH",
        path: route`/uploads/${id}`,
        headers,
        body: { make: () => content, isOnce: true },
        timeoutMs: Number.POSITIVE_INFINITY,
        ...(fetch && { fetch }),
      },
      rest,
    );
    return Number(answer.get("upload-offset"));
  }

  /** The asset of an upload whose bytes are all stored; may be repeated. */
  complete(id: string, options?: RequestOptions): Promise<Asset> {
    return this.#transport.load({ method: "POST", path: route`/uploads/${id}/complete` }, options);
  }

  /** Deletes an unfinished upload and what is stored of it. */
  async delete(id: string, options?: RequestOptions): Promise<void> {
    await this.#transport.open({ method: "DELETE", path: route`/uploads/${id}`, headers: TUS }, options);
  }
}
