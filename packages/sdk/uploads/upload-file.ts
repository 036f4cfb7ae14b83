import { platform } from "#platform";
import type { Call, Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { makeMultipartBody, type UploadProgress } from "./multipart.ts";
import { loadUploadSource, type UploadInput, type UploadSource } from "./upload-source.ts";
import { findXhrFetch } from "./xhr-fetch.ts";

export type UploadOptions = RequestOptions & {
  /** File name with extension; by default that of the path or File. */
  name?: string | undefined;
  /** Browsers report upload progress only through XMLHttpRequest, which then replaces fetch for this request. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
};

/** Lets the browser encode the form; large Blobs are backed by disk there. */
async function makeFormBody(source: UploadSource): Promise<NonNullable<Call["body"]>> {
  const blob = source.blob ?? (await new Response(source.open()).blob());
  return {
    make: () => {
      const form = new FormData();
      form.append("file", blob, source.name);
      return form;
    },
  };
}

/** Uploads a file to a multipart route. */
export async function uploadFile<Answer>(
  transport: Transport,
  call: Pick<Call, "path" | "auth">,
  { input, options }: { input: UploadInput; options: UploadOptions },
): Promise<Answer> {
  const source = await loadUploadSource(input, options.name);
  return await uploadSource(transport, call, { source, options });
}

export async function uploadSource<Answer>(
  transport: Transport,
  call: Pick<Call, "path" | "auth">,
  { source, options }: { source: UploadSource; options: UploadOptions },
): Promise<Answer> {
  const { onProgress } = options;
  const xhrFetch = onProgress && !platform.canStreamBodies ? findXhrFetch(onProgress) : undefined;
  const body = platform.canStreamBodies ? makeMultipartBody(source, onProgress) : await makeFormBody(source);
  return await transport.load(
    {
      ...call,
      method: "POST",
      body,
      timeoutMs: Number.POSITIVE_INFINITY,
      ...(xhrFetch && { fetch: xhrFetch }),
    },
    options,
  );
}
