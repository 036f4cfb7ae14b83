import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Faults, runS3Call, type S3Bucket, S3Error, sendXml } from "./s3-objects.ts";
import { checkSignature, SignatureRefused, type Signer } from "./signature-v4.ts";

export type TestRole = { roleArn: string; externalId: string };

export const S3_KEY = {
  accessKeyId: "AKIATESTTESTTESTTEST",
  secretAccessKey: "test/secret+of=the/test/server",
};
export const S3_REGION = "eu-west-1";

/**
 * A fake S3 and STS server: objects in memory, every request's signature checked. It implements only what the service uses; test/storage runs the same
 * checks against a real store.
 */
export async function startS3Server() {
  const buckets = new Map<string, S3Bucket>();
  const signers = new Map<string, Signer>([[S3_KEY.accessKeyId, S3_KEY]]);
  const roles: TestRole[] = [];
  const faults: Faults = {};
  const requests: string[] = [];

  function assumeRole(body: Buffer, response: ServerResponse): void {
    const form = new URLSearchParams(body.toString());
    const role = roles.find(({ roleArn }) => roleArn === form.get("RoleArn"));
    if (!role || role.externalId !== form.get("ExternalId"))
      throw new SignatureRefused("AccessDenied", "not authorized to perform sts:AssumeRole");
    const accessKeyId = `ASIA${randomUUID().replaceAll("-", "").slice(0, 16).toUpperCase()}`;
    const secretAccessKey = randomUUID();
    const sessionToken = randomUUID();
    signers.set(accessKeyId, { secretAccessKey, sessionToken });
    const expiration = new Date(Date.now() + Number(form.get("DurationSeconds")) * 1000).toISOString();
    sendXml(
      response,
      `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
    );
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const [path = "", queryText = ""] = (request.url ?? "").split("?");
    const query = new URLSearchParams(queryText);
    requests.push(`${request.method} ${path}`);
    checkSignature(request, body, (accessKeyId) => signers.get(accessKeyId));
    if (path === "/") return assumeRole(body, response);
    const [, name = "", ...rest] = path.split("/").map(decodeURIComponent);
    const bucket = buckets.get(name);
    if (!bucket) throw new S3Error(404, "NoSuchBucket");
    runS3Call({ request, response, body, query, key: rest.join("/"), bucket, faults });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      const statusCode = error instanceof S3Error ? error.statusCode : 403;
      const code =
        error instanceof S3Error || error instanceof SignatureRefused ? error.code : "InternalError";
      const fields = `<Code>${code}</Code><Message>${error.message}</Message>`;
      const isSts = request.url === "/";
      sendXml(
        response,
        isSts ? `<ErrorResponse><Error>${fields}</Error></ErrorResponse>` : `<Error>${fields}</Error>`,
        statusCode,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    roles,
    requests,
    addBucket(name: string): S3Bucket {
      const bucket: S3Bucket = { objects: new Map(), uploads: new Map() };
      buckets.set(name, bucket);
      return bucket;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
export type S3Server = Awaited<ReturnType<typeof startS3Server>>;
