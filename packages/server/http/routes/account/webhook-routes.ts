import {
  ApiError,
  deliveriesQuery,
  idParams,
  sentWebhookDelivery,
  webhook,
  webhookDelivery,
  webhookRequest,
  webhookSecret,
} from "@stemwright/contract";
import { z } from "zod";
import { checkWebUrl } from "../../../domain/check-web-url.ts";
import { getFound, makeUnknownError } from "../../../domain/get-found.ts";
import { toSecretText } from "../../../domain/webhooks/signature.ts";
import {
  toSentWebhookDelivery,
  toWebhook,
  toWebhookDelivery,
} from "../../../domain/webhooks/webhook-view.ts";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { once } from "../../requests/once.ts";

const tags = ["Webhooks"];

const unknownDelivery = makeUnknownError("delivery");
const unknownWebhook = makeUnknownError("webhook");

export function addWebhookRoutes(api: Api<"urls" | "webhooks" | "writes">): void {
  addWebhookOfAccount(api);
  addDeliveryLog(api);
}

function addWebhookOfAccount({ app, ports }: Api<"urls" | "webhooks" | "writes">): void {
  const { webhooks } = ports;
  const response = { 200: webhook };

  app.post(
    "/webhooks",
    { schema: { tags, summary: "Set the account's webhook URL", body: webhookRequest, response } },
    (request, reply) =>
      once(ports, { request, reply }, async (stores) => {
        checkWebUrl(ports.urls, request.body.url, "url");
        return toWebhook(await stores.webhooks.setWebhook(getCaller(request).clientId, request.body.url));
      }),
  );

  app.get(
    "/webhooks",
    { schema: { tags, summary: "List the account's webhook URL", response: { 200: z.array(webhook) } } },
    async (request) => {
      const found = await webhooks.findWebhook(getCaller(request).clientId);
      return found ? [toWebhook(found)] : [];
    },
  );

  app.get(
    "/webhooks/secret",
    {
      schema: {
        tags,
        summary: "Get the account's signing secret",
        description: "For accounts that only use the `webhookUrl` of Tasks.",
        response: { 200: webhookSecret },
      },
    },
    async (request) => ({ secret: toSecretText(await webhooks.loadSecret(getCaller(request).clientId)) }),
  );

  app.delete(
    "/webhooks/:id",
    { schema: { tags, summary: "Remove the webhook URL", params: idParams, response } },
    async (request) => {
      const { clientId } = getCaller(request);
      return toWebhook(
        await getFound(request.params.id, (id) => webhooks.deleteWebhook(clientId, id), unknownWebhook),
      );
    },
  );

  app.post(
    "/webhooks/:id/rotate-secret",
    {
      schema: {
        tags,
        summary: "Rotate the signing secret",
        description: "The previous secret also signs for 24 hours.",
        params: idParams,
        response,
      },
    },
    (request, reply) =>
      once(ports, { request, reply }, async (stores) => {
        const { clientId } = getCaller(request);
        const rotate = (id: string) => stores.webhooks.rotateSecret(clientId, id);
        return toWebhook(await getFound(request.params.id, rotate, unknownWebhook));
      }),
  );

  app.post(
    "/webhooks/:id/test",
    {
      schema: {
        tags,
        summary: "Send a test event",
        description: "Returns the delivery; its outcome is in the delivery log.",
        params: idParams,
        response: { 200: webhookDelivery },
      },
    },
    (request, reply) =>
      once(ports, { request, reply }, async (stores) => {
        const { clientId } = getCaller(request);
        const insert = (id: string) => stores.webhooks.insertTestDelivery(clientId, id);
        return toWebhookDelivery(await getFound(request.params.id, insert, unknownWebhook));
      }),
  );
}

function addDeliveryLog({ app, ports }: Api<"webhooks" | "writes">): void {
  app.get(
    "/webhooks/deliveries",
    {
      schema: {
        tags,
        summary: "List deliveries, newest first",
        querystring: deliveriesQuery,
        response: { 200: z.array(webhookDelivery) },
      },
    },
    async (request, reply) => {
      const { items, total } = await ports.webhooks.listDeliveries(
        getCaller(request).clientId,
        request.query,
      );
      void reply.header("x-total-count", total);
      return items.map(toWebhookDelivery);
    },
  );

  app.get(
    "/webhooks/deliveries/:id",
    {
      schema: {
        tags,
        summary: "Get a delivery with its request and response",
        params: idParams,
        response: { 200: sentWebhookDelivery },
      },
    },
    async (request) => {
      const { clientId } = getCaller(request);
      const find = (id: string) => ports.webhooks.findDelivery(clientId, id);
      return toSentWebhookDelivery(await getFound(request.params.id, find, unknownDelivery));
    },
  );

  app.post(
    "/webhooks/deliveries/:id/replay",
    {
      schema: {
        tags,
        summary: "Resend a delivery",
        description: "With the same `webhook-id`, and all its tries.",
        params: idParams,
        response: { 200: webhookDelivery },
      },
    },
    (request, reply) =>
      once(ports, { request, reply }, async (stores) => {
        const { clientId } = getCaller(request);
        const replay = (id: string) => stores.webhooks.replayDelivery(clientId, id);
        const replayed = await getFound(request.params.id, replay, unknownDelivery);
        if (replayed === "disabled")
          throw new ApiError(
            "WEBHOOK_DISABLED",
            "The account's webhook URL is disabled or removed; set it again with POST /webhooks",
          );
        return toWebhookDelivery(replayed);
      }),
  );
}
