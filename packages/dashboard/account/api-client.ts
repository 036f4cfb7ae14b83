import { Stemwright } from "@stemwright/sdk";
import { actingFor } from "./acting-for.ts";

/** The service, as the person who is signed in: the browser sends the session's cookie, and the header says that we are the page. */
export const client = new Stemwright({
  baseUrl: document.baseURI,
  apiKey: null,
  credentials: "same-origin",
  headers: { "x-stemwright-dashboard": "1" },
  ...(actingFor ? { clientId: actingFor.id } : {}),
});
