import type {
  LegacyAsset,
  LegacyJob,
  LegacyJobRequest,
  LegacyLinkRequest,
  LegacyUsage,
  NewLegacyJob,
} from "@stemwright/contract";
import { type Listing, type ListQuery, makeListing } from "../http/listing.ts";
import { route } from "../http/route.ts";
import type { Call, Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { type UploadOptions, uploadFile } from "../uploads/upload-file.ts";
import type { UploadInput } from "../uploads/upload-source.ts";

/** The older Jobs interface, one model per job. New programs should use Tasks. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  upload(input: UploadInput, options: UploadOptions = {}): Promise<LegacyAsset> {
    return uploadFile(this.#transport, { path: "/upload", auth: "legacyToken" }, { input, options });
  }

  /** Lets the service fetch a file. */
  uploadLink(request: LegacyLinkRequest, options?: RequestOptions): Promise<LegacyAsset> {
    const timeoutMs = Number.POSITIVE_INFINITY;
    return this.#load({ method: "POST", path: "/upload/link", json: request, timeoutMs }, options);
  }

  async create(request: LegacyJobRequest, options?: RequestOptions): Promise<NewLegacyJob> {
    const call = { method: "POST", path: "/job", json: request } as const;
    return (await this.#load<{ job: NewLegacyJob }>(call, options)).job;
  }

  async get(id: string, options?: RequestOptions): Promise<LegacyJob> {
    return (await this.#load<{ job: LegacyJob }>({ method: "GET", path: route`/job/${id}` }, options)).job;
  }

  /** All jobs, newest first. */
  list(query: ListQuery = {}, options?: RequestOptions): Listing<LegacyJob> {
    const toItems = ({ jobs }: { jobs: LegacyJob[] }) => jobs;
    return makeListing(this.#transport, { path: "/job", query, auth: "legacyToken", toItems }, options);
  }

  /** Completed jobs of the last three months. */
  usage(options?: RequestOptions): Promise<LegacyUsage> {
    return this.#load({ method: "GET", path: "/usage" }, options);
  }

  #load<Body>(call: Call, options?: RequestOptions): Promise<Body> {
    return this.#transport.load({ ...call, auth: "legacyToken" }, options);
  }
}
