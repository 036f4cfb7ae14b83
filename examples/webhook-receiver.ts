// Receives webhooks and downloads the outputs: node examples/webhook-receiver.ts 8123 stems
// Then: curl -H "x-api-key: $KEY" -H 'content-type: application/json' $BASE/webhooks -d '{"url": "https://…:8123/"}'
import { createServer } from "node:http";
import { join } from "node:path";
import { Stemwright, type Task, WebhookSignatureError } from "@stemwright/sdk";

const [port = "8123", folder = "stems"] = process.argv.slice(2);
const client = new Stemwright(); // STEMWRIGHT_BASE_URL and STEMWRIGHT_API_KEY
const secret = await client.webhooks.secret();
const handled = new Set<string>(); // Use a database table in production.

async function handle(id: string, task: Task): Promise<void> {
  if (handled.has(id)) return;
  handled.add(id);
  const paths = await client.tasks.saveAll(task, join(folder, task.id));
  console.log(`${task.id}: ${paths.length} files${task.completedAt === null ? ", more to come" : ""}`);
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    const task = await client.webhooks.unwrap(Buffer.concat(chunks), request.headers, secret);
    response.writeHead(204).end();
    // Only after responding: the service waits at most 15 seconds.
    await handle(String(request.headers["webhook-id"]), task);
  } catch (error) {
    if (error instanceof WebhookSignatureError) response.writeHead(400).end(error.message);
    else console.error(error);
  }
});
server.listen(Number(port), "127.0.0.1", () => console.log("ready at", server.address()));
process.once("SIGINT", () => server.close());
