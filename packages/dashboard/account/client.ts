import { Stemwright } from "@stemwright/sdk";

const makeClient = (apiKey: string | null) =>
  new Stemwright({
    baseUrl: document.baseURI,
    apiKey,
    credentials: "same-origin",
    headers: { "x-stemwright-dashboard": "1" },
  });

/** The service, as the person who is signed in. */
export let client = makeClient(null);

/** Until people can sign in, a key can: it is kept in memory alone, and gone with the page. */
export function useKey(key: string | null): void {
  client = makeClient(key);
}
