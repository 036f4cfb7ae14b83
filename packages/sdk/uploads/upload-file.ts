import { platform } from "#platform";
import type { Call, Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { makeMultipartBody, type UploadProgress } from "./multipart.ts";
import { loadUploadSource, type UploadInput, type UploadSource } from "./upload-source.ts";
import { findXhrFetch } from "./xhr-fetch.ts";

export type UploadOptions = RequestOptions & {
  /** The file's name, with extension; by default the path's or the File's own. */
  name?: string | undefined;
  /** In a page, progress is told by XMLHttpRequest, which then sends the upload in place of fetch. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
};

/** Browsers write forms themselves, and hold a Blob's bytes on disk where they are many. */
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

/** Sends a file to a route that takes one. */
export async function uploadFile<Answer>(
  transport: Transport,
  call: Pick<Call, "path" | "auth">,
  { input, options }: { input: UploadInput; options: UploadOptions },
): Promise<Answer> {
  const { onProgress, name } = options;
  const source = await loadUploadSource(input, name);
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
