import { Stemwright } from "@stemwright/sdk";
import { findApiKey, findBaseUrl } from "../environment.ts";

/** The client of `--server`, or of STEMWRIGHT_BASE_URL and STEMWRIGHT_API_KEY. */
export function openClient(server: string | true | undefined): Stemwright {
  const url = typeof server === "string" ? server : findBaseUrl();
  return new Stemwright({ ...(url === undefined ? {} : { baseUrl: url }), apiKey: findApiKey() ?? null });
}
