import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenApi } from "../../../../test/support/openapi.ts";
import { startTestApi, type TestApi } from "../../../../test/support/test-api.ts";

let api: TestApi;
let document: OpenApi;
beforeAll(async () => {
  api = await startTestApi();
  document = (await (await api.call("/openapi.json", { key: null })).json()) as OpenApi;
});
afterAll(() => api.close());

describe("the description of the interface", () => {
  it("[G15] is valid by the specification's schema", async () => {
    const result = await new Validator().validate(document as unknown as Record<string, unknown>);
    expect(result).toMatchObject({ valid: true });
  });

  it("[G7] is OpenAPI 3.1 and has every route", () => {
    expect(document.openapi).toBe("3.1.0");
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(operations.sort()).toEqual(
      [
        "delete /account/invitations/{id}",
        "delete /account/keys/{id}",
        "delete /account/people/{id}",
        "delete /account/sessions/{id}",
        "get /account/credits",
        "get /account/credits/ledger",
        "get /account/invitations",
        "get /account/keys",
        "get /account/me",
        "get /account/options",
        "get /account/people",
        "get /account/sessions",
        "patch /account/me",
        "patch /account/people/{id}",
        "post /account/invitations",
        "post /account/invitations/accept",
        "post /account/invitations/accept/provider",
        "post /account/invitations/lookup",
        "post /account/keys",
        "post /account/sign-in",
        "post /account/sign-in/link",
        "post /account/sign-out",
        "delete /admin/clients/{id}/models/{model}",
        "delete /admin/keys/{id}",
        "delete /assets/{id}",
        "delete /storage-integrations/{id}",
        "delete /tasks/{id}",
        "delete /tasks/{id}/shares/{shareId}",
        "delete /tasks/{id}/targets/{targetId}/realignments/{realignmentId}",
        "delete /tasks/{id}/targets/{targetId}/words",
        "get /admin/clients",
        "get /admin/clients/{id}",
        "get /admin/clients/{id}/credits",
        "get /admin/clients/{id}/credits/ledger",
        "get /admin/clients/{id}/keys",
        "get /admin/clients/{id}/models",
        "get /admin/health",
        "get /admin/queue",
        "get /admin/workers",
        "delete /webhooks/{id}",
        "get /assets",
        "get /assets/{id}",
        "get /exports/{id}/{file}",
        "get /files/{path}",
        "get /shares/{token}/exports",
        "get /tasks/{id}/exports",
        "get /health/live",
        "get /health/ready",
        "get /metrics",
        "get /job",
        "get /job/{id}",
        "get /models",
        "get /storage-integrations",
        "get /storage-integrations/{id}",
        "get /tasks",
        "get /tasks/statistics",
        "get /tasks/{id}",
        "get /shares/{token}",
        "get /shares/{token}/previews",
        "get /shares/{token}/previews/chunks/{index}",
        "get /shares/{token}/previews/peaks",
        "get /shares/{token}/previews/spectra",
        "get /shares/{token}/targets/{targetId}/words",
        "get /shares/{token}/targets/{targetId}/words/export",
        "get /tasks/{id}/shares",
        "get /tasks/{id}/targets/{targetId}/realignments/{realignmentId}",
        "get /tasks/{id}/targets/{targetId}/words",
        "get /tasks/{id}/targets/{targetId}/words/export",
        "post /tasks/{id}/shares",
        "post /tasks/{id}/targets/{targetId}/realignments",
        "put /tasks/{id}/targets/{targetId}/words",
        "patch /admin/clients/{id}",
        "post /admin/clients",
        "post /admin/clients/{id}/credits",
        "post /admin/clients/{id}/keys",
        "post /admin/clients/{id}/resume",
        "post /admin/clients/{id}/suspend",
        "get /tasks/{id}/events",
        "get /tasks/{id}/previews",
        "get /tasks/{id}/previews/chunks/{index}",
        "get /tasks/{id}/previews/peaks",
        "get /tasks/{id}/previews/spectra",
        "get /usage",
        "get /webhooks",
        "get /webhooks/deliveries",
        "get /webhooks/deliveries/{id}",
        "get /webhooks/secret",
        "post /assets",
        "delete /uploads/{id}",
        "get /uploads",
        "get /uploads/{id}",
        "head /uploads/{id}",
        "patch /uploads/{id}",
        "post /uploads",
        "post /uploads/direct",
        "post /uploads/{id}/complete",
        "post /storage-integrations",
        "post /storage-integrations/{id}/verify",
        "post /job",
        "post /tasks",
        "put /admin/clients/{id}/models/{model}",
        "post /tasks/estimate",
        "post /tasks/{id}/cancel",
        "get /v1/models",
        "get /v1/models/{model}",
        "post /asr",
        "post /detect-language",
        "post /v1/audio/transcriptions",
        "post /v1/audio/translations",
        "post /upload",
        "post /upload/audio-link",
        "post /upload/link",
        "post /usage",
        "post /webhooks",
        "post /webhooks/deliveries/{id}/replay",
        "post /webhooks/{id}/rotate-secret",
        "post /webhooks/{id}/test",
      ].sort(),
    );
  });

  it("[G7] declares every tag it uses, and gives every operation, including the webhook, a unique name", () => {
    const operations = [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})].flatMap(
      (methods) =>
        Object.values(methods as Record<string, { operationId?: string; tags?: string[]; summary?: string }>),
    );
    const used = new Set(operations.flatMap(({ tags = [] }) => tags));
    expect([...used].sort()).toEqual((document.tags ?? []).map(({ name }) => name).sort());
    for (const { operationId, summary, tags } of operations)
      expect([typeof operationId, typeof summary, tags?.length]).toEqual(["string", "string", 1]);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it("[G7] has every path parameter, with a valid identifier as its name", () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? "");
      for (const name of named) expect(name, path).toMatch(/^\w+$/);
      for (const { parameters = [] } of Object.values(methods)) {
        const described = parameters.filter((parameter) => parameter.in === "path");
        expect(described.map(({ name }) => name).sort(), path).toEqual(named.sort());
        for (const { required } of described) expect(required, path).toBe(true);
      }
    }
  });

  it("[G7] has no dangling reference, and names the resources", () => {
    const references = [
      ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
    ].map(([, name]) => name ?? "");
    for (const name of references) expect(document.components.schemas).toHaveProperty(name);
    expect(Object.keys(document.components.schemas)).toEqual([
      "AccountCredits",
      "AccountOptions",
      "ApiKey",
      "ApiKeyRequest",
      "Asset",
      "Client",
      "ClientChange",
      "ClientRequest",
      "CreditEntry",
      "CreditGrantRequest",
      "Credits",
      "DetectedLanguage",
      "DirectUploadRequest",
      "DistributionRow",
      "Error",
      "Gap",
      "InputOfModel",
      "Invitation",
      "InvitationAcceptance",
      "InvitationLookup",
      "InvitationRequest",
      "LegacyAsset",
      "LegacyJob",
      "LegacyJobRequest",
      "LegacyLinkRequest",
      "LegacyUsage",
      "LinkSignInRequest",
      "Me",
      "MeChange",
      "Model",
      "ModelGrant",
      "ModelGrantRequest",
      "ModelList",
      "ModelVariant",
      "NewApiKey",
      "NewInvitation",
      "NewLegacyJob",
      "NewShare",
      "OpenAiError",
      "OpenAiModel",
      "OpenAiModelList",
      "OpenAiTranscription",
      "OpenAiVerboseTranscription",
      "OutputFile",
      "Person",
      "PersonChange",
      "PersonSession",
      "PreviewTrack",
      "ProviderRedirect",
      "Queue",
      "Realignment",
      "ReceivedInvitation",
      "SentWebhookDelivery",
      "ServiceHealth",
      "Share",
      "ShareRequest",
      "SharedTarget",
      "SharedTask",
      "SignInRequest",
      "SignedOut",
      "StorageIntegration",
      "StorageIntegrationRequest",
      "StorageUse",
      "StorageVerification",
      "Target",
      "TargetRequest",
      "Task",
      "TaskEstimate",
      "TaskExports",
      "TaskListItem",
      "TaskPreviews",
      "TaskRequest",
      "TimedLine",
      "TimedWord",
      "Upload",
      "UsageRow",
      "Webhook",
      "WebhookDelivery",
      "WebhookRequest",
      "WebhookSecret",
      "Words",
      "WordsEdit",
      "Worker",
    ]);
  });

  it("[W3] [W4] has the calls we make, with their body and headers", () => {
    expect(document.webhooks).toMatchObject({
      targetEnded: {
        post: {
          requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Task" } } } },
          parameters: ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => ({ name })),
        },
      },
    });
  });

  it("[G7] the reference page loads nothing from elsewhere", async () => {
    const page = await api.call("/", { key: null });
    expect(page).toMatchObject({ status: 200, url: expect.stringMatching(/\/docs$/) });
    const html = await page.text();
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    for (const [, path] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      expect((await api.call(path ?? "", { key: null })).status).toBe(200);
    }
    expect((await api.call("/docs/package.json", { key: null })).status).toBe(404);
  });
});
