import { readFile } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Storage } from "@google-cloud/storage";
import type { AuthConfigOf } from "@stemwright/contract";
import { GoogleAuth, IdentityPoolClient, JWT } from "google-auth-library";
import { type Bucket, BucketError } from "../domain/storage/bucket.ts";
import { asBucketCall, findByBucketCall, toBucketError, toWriteError } from "./to-bucket-error.ts";

const SCOPE = "https://www.googleapis.com/auth/devstorage.read_write";
const CHUNK_BYTES = 8 * 1024 ** 2;

export type GcpAccess = {
  /** A file with this installation's OIDC token, which a customer's workload identity provider trusts. */
  identityTokenFile?: string | undefined;
  /** The storage's endpoint, for tests. */
  apiEndpoint?: string | undefined;
};

/** Only named fields of a client's configuration are used: URLs and files in a key or pool are never followed, since they could point into this machine. */
function makeAuth(config: AuthConfigOf<"gcp">, access: GcpAccess): GoogleAuth {
  const { serviceAccountKey, workloadIdentity } = config;
  if (serviceAccountKey) {
    const { client_email, private_key, private_key_id: keyId } = serviceAccountKey;
    const authClient = new JWT({
      email: client_email,
      key: private_key,
      scopes: [SCOPE],
      ...(keyId === undefined ? {} : { keyId }),
    });
    // Self-signed JWT: no token server is involved.
    authClient.useJWTAccessWithScope = true;
    const auth = new GoogleAuth({ authClient });
    // The signer of links; without it the library would query this machine's metadata server.
    auth.jsonContent = { client_email, private_key };
    return auth;
  }
  const { identityTokenFile } = access;
  if (!workloadIdentity || identityTokenFile === undefined)
    throw new BucketError(
      "not-set-up",
      "This installation has no identity for workload identity federation; its operator sets GCP_IDENTITY_TOKEN_FILE",
    );
  const { audience, serviceAccountEmail } = workloadIdentity;
  const authClient = new IdentityPoolClient({
    type: "external_account",
    audience,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: "https://sts.googleapis.com/v1/token",
    scopes: [SCOPE],
    subject_token_supplier: {
      getSubjectToken: async () => (await readFile(identityTokenFile, "utf8")).trim(),
    },
    ...(serviceAccountEmail === undefined
      ? {}
      : {
          service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${encodeURIComponent(serviceAccountEmail)}:generateAccessToken`,
        }),
  });
  return new GoogleAuth({ authClient });
}

/** A bucket of Google Cloud Storage. */
export function openGcsBucket(name: string, config: AuthConfigOf<"gcp">, access: GcpAccess): Bucket {
  const { apiEndpoint } = access;
  const storage = new Storage({
    authClient: makeAuth(config, access),
    // Objects need no project id; without one the client would look for it on this machine.
    projectId: "stemwright",
    ...(apiEndpoint === undefined ? {} : { apiEndpoint, useAuthWithCustomEndpoint: true }),
  });
  const bucket = storage.bucket(name);

  return {
    async read(key, { startByte, endByte, version, signal } = {}) {
      const [{ size, generation, contentEncoding }] = await asBucketCall(() =>
        bucket.file(key).getMetadata(),
      );
      if (version !== undefined && version !== String(generation))
        throw new BucketError("failed", "The object was changed while it was read");
      // The generation pins the content, even if the object is overwritten meanwhile.
      const content = bucket.file(key, { generation: String(generation) }).createReadStream({
        decompress: false,
        ...(startByte === undefined ? {} : { start: startByte }),
        ...(endByte === undefined ? {} : { end: endByte }),
      });
      signal?.addEventListener("abort", () => content.destroy(signal.reason as Error), { once: true });
      return { content, sizeBytes: Number(size), version: String(generation), contentEncoding };
    },

    async findSize(key) {
      const metadata = await findByBucketCall(() => bucket.file(key).getMetadata());
      return metadata && Number(metadata[0].size);
    },

    async write(key, content, { type, signal }) {
      try {
        const file = bucket.file(key);
        // An unfinished upload session stays invisible, and Google drops it after a week.
        const [uri] = await file.createResumableUpload({ metadata: { contentType: type } });
        const target = file.createWriteStream({ uri, contentType: type, chunkSize: CHUNK_BYTES });
        await pipeline(content, target, signal ? { signal } : {});
      } catch (error) {
        throw toWriteError(error, content, signal);
      }
    },

    async *list(prefix, { signal } = {}) {
      try {
        const files = bucket.getFilesStream({ prefix });
        if (signal) addAbortSignal(signal, files);
        for await (const file of files) yield (file as { name: string }).name;
      } catch (error) {
        throw toBucketError(error);
      }
    },

    async delete(key) {
      await asBucketCall(() => bucket.file(key).delete());
    },

    async signRead(key, lifetimeSeconds) {
      // Without a service account nothing can be signed.
      if (!config.serviceAccountKey && !config.workloadIdentity?.serviceAccountEmail) return undefined;
      const expires = Date.now() + lifetimeSeconds * 1000;
      const [url] = await asBucketCall(() =>
        bucket.file(key).getSignedUrl({ version: "v4", action: "read", expires }),
      );
      return url;
    },
  };
}
