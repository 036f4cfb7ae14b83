// Run beside `client/`, which @hey-api/openapi-ts generated from /openapi.json.
import { getTasksId, postTasks } from "./client";
import { client } from "./client/client.gen";

client.setConfig({ baseUrl: process.env.BASE_URL, headers: { "x-api-key": process.env.API_KEY } });
const created = await postTasks({
  body: { assetId: process.env.ASSET_ID, targets: [{ model: "vocals", formats: ["wav"] }] },
  throwOnError: true,
});
const { data } = await getTasksId({ path: { id: created.data.id }, throwOnError: true });
const missing = await getTasksId({ path: { id: "nobody" } });
console.log(data.targets[0]?.model, missing.error?.code);
