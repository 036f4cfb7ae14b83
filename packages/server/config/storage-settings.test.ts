import { describe, expect, it } from "vitest";
import { ConfigError, loadConfig } from "./load-config.ts";

const load = (environment: Record<string, string>) => loadConfig({ DATA_DIR: "/data", ...environment });

describe("settings of storage", () => {
  it("[F1] S3_BUCKET puts files into S3, with the prefix as a folder", () => {
    expect(load({}).s3).toBeUndefined();
    expect(load({ S3_BUCKET: "stems", S3_PREFIX: "/house/one/" }).s3).toEqual({
      bucket: "stems",
      prefix: "house/one/",
      endpoint: undefined,
      region: "us-east-1",
      hasPresignedLinks: false,
      publicEndpoint: undefined,
    });
  });

  it("[N2] ENCRYPTION_KEY is 32 bytes in base64 or hex; otherwise a file under DATA_DIR is used", () => {
    const key = Buffer.alloc(32, 7);
    for (const encoding of ["base64", "hex"] as const)
      expect(load({ ENCRYPTION_KEY: key.toString(encoding) }).encryption.key).toEqual(key);
    expect(load({}).encryption).toEqual({ key: undefined, keyFile: "/data/encryption.key" });
    expect(() => load({ ENCRYPTION_KEY: "c2hvcnQ=" })).toThrow(/ENCRYPTION_KEY is \(not shown\)/);
  });

  it("[S1] half of a pair of AWS keys is a mistake", () => {
    expect(() => load({ AWS_ACCESS_KEY_ID: "x" })).toThrow(ConfigError);
    expect(() => load({ AWS_ACCESS_KEY_ID: "x", PORT: "x" })).toThrow(
      /^2 setting.*PORT is.*belong together/s,
    );
    expect(load({ AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "y" }).aws.credentials).toEqual({
      accessKeyId: "x",
      secretAccessKey: "y",
    });
  });
});
