// Run beside `schema.d.ts`, which openapi-typescript generated from /openapi.json.
import createClient from "openapi-fetch";
import type { paths } from "./schema.d.ts";

const client = createClient<paths>({
  baseUrl: process.env.BASE_URL,
  headers: { "x-api-key": process.env.API_KEY },
});
const created = await client.POST("/tasks", {
  body: { assetId: process.env.ASSET_ID, targets: [{ model: "vocals", formats: ["wav"] }] },
});
if (created.error) throw new Error(created.error.error);
const { data, error } = await client.GET("/tasks/{id}", { params: { path: { id: created.data.id } } });
if (error) throw new Error(error.error);
const missing = await client.GET("/tasks/{id}", { params: { path: { id: "nobody" } } });
console.log(data.targets[0]?.model, missing.error?.code);
