import type { Asset } from "@stemwright/contract";
import { platform } from "#platform";
import { type DownloadOptions, openLink } from "../downloads/open-link.ts";
import { type Listing, type ListQuery, makeListing } from "../http/listing.ts";
import { route } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { type UploadOptions, uploadFile } from "../uploads/upload-file.ts";
import type { UploadInput } from "../uploads/upload-source.ts";

export type AssetQuery = ListQuery & {
  /** Text in the name or the id. It is looked for in the newest 20 000 assets. */
  search?: string;
};

/** Uploaded files. */
export class Assets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Uploads a path, Blob, File, bytes or stream. Uploads of streams are not retried because a stream can be read only once.
   *
   * @example
   * const asset = await client.assets.upload("song.mp3", {
   *   onProgress: ({ sentBytes, totalBytes = 0 }) => console.log(sentBytes / totalBytes),
   * });
   */
  upload(input: UploadInput, options: UploadOptions = {}): Promise<Asset> {
    return uploadFile(this.#transport, { path: "/assets" }, { input, options });
  }

  /** All assets, newest first. */
  list(query: AssetQuery = {}, options?: RequestOptions): Listing<Asset> {
    return makeListing(this.#transport, { path: "/assets", query }, options);
  }

  get(id: string, options?: RequestOptions): Promise<Asset> {
    return this.#transport.load({ method: "GET", path: route`/assets/${id}` }, options);
  }

  /** Deletes the asset and its file. */
  delete(id: string, options?: RequestOptions): Promise<Asset> {
    return this.#transport.load({ method: "DELETE", path: route`/assets/${id}` }, options);
  }

  /** Downloads the uploaded file; see `tasks.download`. */
  download(asset: Asset, options: DownloadOptions = {}): Promise<Response> {
    const renew = async () => (await this.get(asset.id, options)).link;
    return openLink(this.#transport, { link: asset.link, renew }, options);
  }

  /** Downloads the uploaded file to a path, atomically. */
  async save(asset: Asset, path: string, options: DownloadOptions = {}): Promise<void> {
    const { body } = await this.download(asset, options);
    if (body) await platform.writeFile(path, body);
  }
}
