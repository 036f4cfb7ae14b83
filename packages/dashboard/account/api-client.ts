import { Stemwright } from "@stemwright/sdk";
import { actingFor } from "./acting-for.ts";

/** The API client of the signed-in person: the browser sends the session cookie, and the header is required on writes. */
export const apiClient = new Stemwright({
  baseUrl: document.baseURI,
  apiKey: null,
  credentials: "same-origin",
  headers: { "x-stemwright-dashboard": "1" },
  ...(actingFor ? { clientId: actingFor.id } : {}),
});
