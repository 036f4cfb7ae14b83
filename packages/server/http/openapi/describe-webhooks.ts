const header = (name: string, description: string) => ({
  name,
  in: "header" as const,
  required: true,
  description,
  schema: { type: "string" as const },
});

const parameters = [
  header("webhook-id", "The delivery's id, the same in every try"),
  header("webhook-timestamp", "Unix seconds of the try"),
  header(
    "webhook-signature",
    "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; two while a secret is rotated",
  ),
];

/** The requests we send. They belong to no route. */
export const WEBHOOKS = {
  targetEnded: {
    post: {
      operationId: "onTargetEnded",
      tags: ["Webhooks"],
      summary: "A target completed or failed",
      description:
        "To the Task's `webhookUrl`, else to the account's URL. The body is that of `GET /tasks/{id}`.",
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: { "application/json": { schema: { $ref: "#/components/schemas/Task" } } },
      },
      responses: {
        "2XX": { description: "Accepted. Any other status, or no response within 15 seconds, is retried." },
      },
    },
  },
};
