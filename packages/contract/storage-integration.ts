import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { pageQuery } from "./page.ts";
import { plainText } from "./plain-text.ts";

export const STORAGE_TYPES = ["aws", "s3", "gcp", "azure"] as const;
export type StorageType = (typeof STORAGE_TYPES)[number];

const text = (maxLength: number) => plainText(maxLength).min(1);
const hasOneOf = (first: unknown, second: unknown) => (first === undefined) !== (second === undefined);

export const awsAuthConfig = z.object({
  roleArn: z
    .string()
    .max(2048)
    .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/, "must be the ARN of a role")
    .meta({ example: "arn:aws:iam::123456789012:role/stems" }),
  region: z
    .string()
    .max(64)
    .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/, "must be a region such as eu-west-1")
    .meta({ example: "eu-west-1" }),
});

export const s3AuthConfig = z.object({
  endpoint: text(2048)
    .pipe(z.url({ protocol: /^https?$/, error: "must be a URL such as https://minio.example" }))
    .meta({ example: "https://minio.example" }),
  region: text(64).meta({ example: "us-east-1" }),
  accessKeyId: text(256),
  secretAccessKey: text(1024),
  forcePathStyle: z.boolean().default(true).meta({ description: "Bucket in the path, not in the host name" }),
});

/** A Google service account key, as an object or as its JSON text; only the fields needed for signing are read. */
const serviceAccountKey = z.preprocess(
  (value) => {
    try {
      return typeof value === "string" ? JSON.parse(value) : value;
    } catch {
      return value;
    }
  },
  z.object({
    client_email: text(512),
    private_key: text(16_384).startsWith("-----BEGIN", "must be a PEM key"),
    private_key_id: text(256).exactOptional(),
  }),
);

export const gcpAuthConfig = z
  .object({
    serviceAccountKey: serviceAccountKey.exactOptional().meta({
      description: "A service account's key, as an object or as JSON text",
    }),
    workloadIdentity: z
      .object({
        audience: z
          .string()
          .max(2048)
          .regex(
            /^\/\/iam\.googleapis\.com\/projects\/\d+\/locations\/global\/workloadIdentityPools\/[\w-]+\/providers\/[\w-]+$/,
            "must be the full name of a workload identity provider",
          ),
        serviceAccountEmail: z.email("must be an email address").max(512).exactOptional(),
      })
      .exactOptional()
      .meta({ description: "A provider that trusts this installation's identity" }),
  })
  .refine((config) => hasOneOf(config.serviceAccountKey, config.workloadIdentity), {
    message: "must have serviceAccountKey or workloadIdentity",
  });

export const azureAuthConfig = z
  .object({
    connectionString: text(4096).exactOptional(),
    accountName: z
      .string()
      .regex(/^[a-z0-9]{3,24}$/, "must be the name of a storage account")
      .exactOptional(),
    sasToken: text(4096).exactOptional(),
  })
  .refine((config) => hasOneOf(config.connectionString, config.sasToken), {
    message: "must have connectionString, or accountName and sasToken",
  })
  .refine((config) => (config.accountName === undefined) === (config.sasToken === undefined), {
    message: "must have accountName and sasToken together",
  });

const requestOf = <Type extends StorageType, Config extends z.ZodType>(type: Type, authConfig: Config) =>
  z.object({
    type: z.literal(type),
    storageName: text(512).meta({ description: "The bucket or container" }),
    authConfig,
    clientId: text(100)
      .exactOptional()
      .meta({ description: "Administrators must give it, here or in the query; others must not" }),
  });

export const storageIntegrationRequest = z
  .discriminatedUnion(
    "type",
    [
      requestOf("aws", awsAuthConfig),
      requestOf("s3", s3AuthConfig),
      requestOf("gcp", gcpAuthConfig),
      requestOf("azure", azureAuthConfig),
    ],
    { error: `must be one of ${STORAGE_TYPES.join(", ")}` },
  )
  .meta({ id: "StorageIntegrationRequest" });
export type StorageIntegrationRequest = z.output<typeof storageIntegrationRequest>;
export type StorageIntegrationInput = z.input<typeof storageIntegrationRequest>;
export type AuthConfigOf<Type extends StorageType> = Extract<
  StorageIntegrationRequest,
  { type: Type }
>["authConfig"];

const clientId = text(100)
  .exactOptional()
  .meta({ description: "One client's integrations; for administrators. Others may name only themselves" });
export const storageIntegrationQuery = z.object({ clientId });
export const storageIntegrationOwnerQuery = z.object({
  clientId: text(100).exactOptional().meta({
    description: "Whose integration it will be; for administrators, who give it here or in the body",
  }),
});
export const storageIntegrationPageQuery = pageQuery.extend({ clientId });

export const storageIntegration = z
  .object({
    id,
    clientId: z.string(),
    type: z.string().meta({ description: `One of ${STORAGE_TYPES.join(", ")}` }),
    storageName: z.string(),
    authConfig: z
      .record(z.string(), z.unknown())
      .meta({ description: "Secrets read `***`; for `aws` it has the `externalId` of the trust policy" }),
    servicePrincipalArn: z
      .string()
      .exactOptional()
      .meta({ description: "For `aws`: the principal of the trust policy, if the operator has set it" }),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: "StorageIntegration" });
export type StorageIntegration = z.infer<typeof storageIntegration>;

export const STORAGE_STEPS = ["list", "write", "read", "delete"] as const;
export type StorageStep = (typeof STORAGE_STEPS)[number];

export const storageVerification = z
  .object({
    ok: z.boolean().meta({ description: "Whether every step passed" }),
    steps: z.array(
      z.object({
        step: z.enum(STORAGE_STEPS),
        status: z.enum(["passed", "failed", "skipped"]),
        message: z.string().exactOptional().meta({ description: "Why it failed" }),
      }),
    ),
  })
  .meta({ id: "StorageVerification" });
export type StorageVerification = z.infer<typeof storageVerification>;
