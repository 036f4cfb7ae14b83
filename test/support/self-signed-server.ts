import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

/** For tests; untrusted on purpose. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRJrk/rYvjVlys0aW
TKQlg7izzNXlCrsHWNbt+jcnACOhRANCAARUIiTaBIDd1Y2XMS+GznYHHrkmWtcm
xDRlVfDORcsdiZkuxRAon5GGO20U/9+/A/eSKek2v+7BbpZXWfFoyYrj
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBVDCB/KADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEVCIk2gSA3dWNlzEv
hs52Bx65JlrXJsQ0ZVXwzkXLHYmZLsUQKJ+RhjttFP/fvwP3kinpNr/uwW6WV1nx
aMmK46M9MDswGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBS/
xLX8+Egnpmn/Jv8jQVs9A6vh5TAKBggqhkjOPQQDAgNHADBEAiAyv+H1MVI7HFNj
VTy3JbQJ/6lvB9lKuaihxUIv2wPdWQIgTJMksN8a5pstffze+mFTb9VTp7/Ja1oC
5dlQVHy/XAY=
-----END CERTIFICATE-----`;

/** An https server with a self-signed certificate. */
export async function startSelfSignedServer(
  answer: RequestListener = (_request, response) => response.end("inside"),
) {
  const server = createServer({ key: KEY, cert: CERTIFICATE }, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
