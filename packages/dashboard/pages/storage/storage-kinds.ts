import type { StorageIntegrationInput } from "@stemwright/sdk";

type FieldOf = {
  name: string;
  label: string;
  hint?: string;
  placeholder?: string;
  isSecret?: boolean;
};
export type StorageKind = {
  type: StorageIntegrationInput["type"];
  name: string;
  /** The provider's name for `storageName`. */
  bucket: string;
  scheme: string;
  fields: readonly FieldOf[];
};

/** The kinds of buckets, each with the fields of its `authConfig`. */
export const STORAGE_KINDS: readonly StorageKind[] = [
  {
    type: "aws",
    name: "Amazon S3, by a role",
    bucket: "Bucket",
    scheme: "s3",
    fields: [
      { name: "roleArn", label: "Role ARN", placeholder: "arn:aws:iam::123456789012:role/stems" },
      { name: "region", label: "Region", placeholder: "eu-west-1" },
    ],
  },
  {
    type: "s3",
    name: "Another S3 store, by a key",
    bucket: "Bucket",
    scheme: "s3",
    fields: [
      { name: "endpoint", label: "Endpoint", placeholder: "https://minio.example" },
      { name: "region", label: "Region", placeholder: "us-east-1" },
      { name: "accessKeyId", label: "Access key id" },
      { name: "secretAccessKey", label: "Secret access key", isSecret: true },
    ],
  },
  {
    type: "gcp",
    name: "Google Cloud Storage",
    bucket: "Bucket",
    scheme: "gs",
    fields: [
      {
        name: "serviceAccountKey",
        label: "Service account key",
        hint: "The JSON file, as Google hands it out. The account needs the role Storage Object User.",
        isSecret: true,
      },
    ],
  },
  {
    type: "azure",
    name: "Azure Blob Storage",
    bucket: "Container",
    scheme: "az",
    fields: [{ name: "connectionString", label: "Connection string", isSecret: true }],
  },
];
