// The manifests against the schemas of Kubernetes.
import { readFile } from "node:fs/promises";
import { Deployment } from "kubernetes-models/apps/v1";
import { ConfigMap, Service } from "kubernetes-models/v1";
import { parseAllDocuments } from "yaml";

const KINDS = { ConfigMap, Service, Deployment };
const documents = parseAllDocuments(await readFile(process.argv[2], "utf8"), { strict: true });
for (const document of documents) {
  const manifest = document.toJS();
  new KINDS[manifest.kind](manifest).validate();
  console.log(`${manifest.kind} ${manifest.metadata.name}`);
}
