import type { Task } from "@stemwright/contract";
import { expect, it } from "vitest";
import { S3_KEY, S3_REGION, startS3Server } from "../../../test/support/s3-server.ts";
import { startTestApi } from "../../../test/support/test-api.ts";
import { endTarget } from "../db/tasks/target-ends.ts";
import { insertTask } from "../db/tasks/task-rows.ts";
import { makeId } from "../domain/ids.ts";

it("[F5] output links point to the bucket's public endpoint, with ranges, a file name and an hour of validity", async () => {
  const server = await startS3Server();
  const bucket = server.addBucket("music");
  const publicEndpoint = server.endpoint.replace("127.0.0.1", "localhost");
  const api = await startTestApi({
    S3_BUCKET: "music",
    S3_PREFIX: "below",
    S3_PRESIGNED_LINKS: "true",
    S3_PUBLIC_ENDPOINT: publicEndpoint,
    AWS_ENDPOINT_URL_S3: server.endpoint,
    AWS_REGION: S3_REGION,
    AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
  });
  const [taskId, targetId] = [makeId(), makeId()];
  const target = { id: targetId, model: "transcription", formats: ["ultrastar"], creditsPerMinute: 1 };
  const { clientId } = api.account;
  const { db } = api.database;
  await insertTask(db, {
    ...{ id: taskId, clientId, createdAt: new Date(), url: "https://x.example", targets: [target] },
  });
  const blobKey = `outputs/${taskId}/${targetId}/transcription.ultrastar`;
  bucket.objects.set(`below/${blobKey}`, {
    body: Buffer.from("0123456789"),
    type: "text/plain",
    etag: '"a"',
  });
  const output = [{ name: "transcription", format: "ultrastar", blobKey, sizeBytes: 10 }];
  await db
    .transaction()
    .execute((tx) =>
      endTarget(tx, { taskId, targetId, end: { status: "completed", durationSeconds: 1, output } }),
    );

  const task = (await (await api.call(`/tasks/${taskId}`)).json()) as Task;
  const link = task.targets[0]?.output[0]?.link ?? "";
  expect(link.startsWith(`${publicEndpoint}/music/below/${blobKey}?`)).toBe(true);
  expect(new URL(link).searchParams.get("X-Amz-Expires")).toBe("3600");
  const whole = await fetch(link);
  expect(await whole.text()).toBe("0123456789");
  expect(whole.headers.get("content-disposition")).toBe('attachment; filename="transcription.ultrastar.txt"');
  const part = await fetch(link, { headers: { range: "bytes=2-4" } });
  expect([part.status, await part.text()]).toEqual([206, "234"]);
  expect((await fetch(link.replace("transcription.u", "another.u"))).status).toBe(403);
  await api.close();
  await server.close();
});
