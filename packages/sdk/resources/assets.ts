import type { Asset } from "@stemwright/contract";
import { platform } from "#platform";
import { type DownloadOptions, openLink } from "../downloads/open-link.ts";
import { type Listing, type ListQuery, makeListing } from "../http/listing.ts";
import { route } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { PIECE_BYTES, type PieceOptions, sendInPieces } from "../uploads/send-in-pieces.ts";
import { type UploadOptions, uploadSource } from "../uploads/upload-file.ts";
import { loadUploadSource, type UploadInput } from "../uploads/upload-source.ts";
import type { ResumableUploads } from "./resumable-uploads.ts";

export type AssetUploadOptions = UploadOptions &
  PieceOptions & {
    /** Send the file straight into the service's bucket, if it offers that (`S3_PRESIGNED_LINKS`). */
    direct?: boolean | undefined;
  };

export type AssetQuery = ListQuery & {
  /** Text in the name or the id. It is looked for in the newest 20 000 assets. */
  search?: string;
};

/** Uploaded files. */
export class Assets {
  readonly #transport: Transport;
  readonly #uploads: ResumableUploads;

  constructor(transport: Transport, uploads: ResumableUploads) {
    this.#transport = transport;
    this.#uploads = uploads;
  }

  /**
   * Uploads a path, Blob, File, bytes or stream. Files over 16 MiB are sent in pieces: after a failure they resume with the next byte, also in another
   * process or page that uploads the same path or File. Uploads of streams are not retried because a stream can be read only once.
   *
   * @example
   * const asset = await client.assets.upload("song.mp3", {
   *   onProgress: ({ sentBytes, totalBytes = 0 }) => console.log(sentBytes / totalBytes),
   * });
   */
  async upload(input: UploadInput, options: AssetUploadOptions = {}): Promise<Asset> {
    const { name, direct, ...rest } = options;
    const source = await loadUploadSource(input, name);
    const { sizeBytes = 0 } = source;
    if (direct || sizeBytes > PIECE_BYTES) {
      const sending = { transport: this.#transport, uploads: this.#uploads, options: rest };
      return await sendInPieces(
        { ...sending, source: { ...source, sizeBytes } },
        direct ? "direct" : "resumable",
      );
    }
    return await uploadSource(this.#transport, { path: "/assets" }, { source, options });
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
