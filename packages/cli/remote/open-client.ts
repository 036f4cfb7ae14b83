import { Stemwright } from "@stemwright/sdk";
import { apiKey, baseUrl } from "../environment.ts";

/** The client of `--server`, or of STEMWRIGHT_BASE_URL and STEMWRIGHT_API_KEY. */
export function openClient(server: string | true | undefined): Stemwright {
  const url = typeof server === "string" ? server : baseUrl();
  return new Stemwright({ ...(url === undefined ? {} : { baseUrl: url }), apiKey: apiKey() ?? null });
}
