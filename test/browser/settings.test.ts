import { rm } from "node:fs/promises";
import type { NewInvitation } from "@stemwright/contract";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../faults/find-free-port.ts";
import { listViolations, openBrowser, openPage, VIEWS } from "../support/browser.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { type Service, startService } from "../support/service.ts";
import { OWNER, signInOwner } from "../support/sign-in-owner.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const PRINCIPAL = "arn:aws:iam::210987654321:role/stemwright";

let dataDir: string;
let service: Service;
let browser: Browser;
beforeAll(async () => {
  dataDir = await makeTempDir("settings");
  [service, browser] = await Promise.all([
    startService({ dataDir, environment: { WORKERS: "0", AWS_PRINCIPAL_ARN: PRINCIPAL } }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function openSignedIn(view = VIEWS[3]) {
  const opened = await openPage(browser, { ...(view ? { view } : {}), baseURL: service.address });
  await signInOwner(opened.context, service);
  return opened;
}
const statusOf = async (key: string) =>
  (await service.call("/tasks", { headers: { "x-api-key": key } })).status;

describe("Settings → API keys", () => {
  it("[PE9] a key is created, works, is revoked, and then gets 401", async () => {
    const phone = VIEWS[0] ?? { width: 390, theme: "light" };
    const { page, context, complaints } = await openSignedIn(phone);
    await page.goto("/app/settings/keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("Laptop");
    await page.getByRole("button", { name: "Make the key" }).click();
    const shown = page.getByRole("region", { name: "API key", exact: true });
    const key = (await shown.textContent()) ?? "";
    expect(key).toMatch(/^sw_[0-9A-Za-z]{40}$/);
    expect(await statusOf(key)).toBe(200);
    expect(await listViolations(page)).toEqual([]);
    // A long key scrolls within its box; the button stays on the screen.
    const box = await page.getByRole("button", { name: "I have it" }).boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(phone.width);
    await page.getByRole("button", { name: "I have it" }).click();
    await page
      .getByRole("row", { name: /Laptop/ })
      .getByRole("button", { name: "Revoke" })
      .click();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("“Laptop” is revoked").waitFor();
    await page.getByRole("row", { name: /Laptop.*Revoked/ }).waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await statusOf(key)).toBe(401);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe("People", () => {
  it("[PE7] [PE8] somebody is invited by link, joins, and loses access at once when removed", async () => {
    const owner = await openSignedIn();
    await owner.page.goto("/app/people");
    await owner.page.getByRole("button", { name: "Invite" }).click();
    await owner.page.getByRole("button", { name: "Make the link" }).click();
    const link = (await owner.page.getByRole("region", { name: "invitation link" }).textContent()) ?? "";
    await owner.page.getByRole("button", { name: "I have it" }).click();

    const guest = await openPage(browser, { baseURL: service.address });
    await guest.page.goto(link);
    await guest.page.getByRole("heading", { name: "Join First account" }).waitFor();
    await guest.page.getByLabel("Your name").fill("Bo");
    await guest.page.getByLabel("Email").fill("bo@example.com");
    await guest.page.getByLabel("Password").fill(OWNER.password);
    expect(await listViolations(guest.page)).toEqual([]);
    await guest.page.getByRole("button", { name: "Join First account" }).click();
    await guest.page.locator("main.page h1").waitFor();

    await owner.page.reload();
    await owner.page
      .getByRole("row", { name: /bo@example.com/ })
      .getByRole("button", { name: "Remove" })
      .click();
    await owner.page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await owner.page.getByText("Bo is removed").waitFor();
    await guest.page.goto("/app/settings/sessions");
    await guest.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect([...owner.complaints, ...guest.complaints]).toEqual([]);
    await owner.context.close();
    await guest.context.close();
  });
});

describe("An invitation", () => {
  it("[PE7] [PE10] names its account, is accepted with the identity provider, and then no more", async () => {
    const port = await findFreePort();
    const address = `http://127.0.0.1:${port}`;
    const provider = await startIdentityProvider(() => [`${address}/account/oidc/callback`]);
    const folder = await makeTempDir("invitation");
    const joined = await startService({
      dataDir: folder,
      environment: {
        WORKERS: "0",
        PORT: String(port),
        PUBLIC_BASE_URL: address,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.clientId,
        OIDC_CLIENT_SECRET: provider.clientSecret,
        OIDC_NAME: "Acme",
      },
    });
    try {
      const invited = await joined.call("/account/invitations", {
        method: "POST",
        body: JSON.stringify({ email: "grace@example.com" }),
        headers: { "content-type": "application/json" },
      });
      const { url } = (await invited.json()) as NewInvitation;
      provider.become({ sub: "grace", email: "grace@example.com", email_verified: true, name: "Grace" });
      const { page, context, complaints } = await openPage(browser, { baseURL: joined.address });
      await page.goto("/app/sign-in");
      await page.getByRole("link", { name: "Sign in with Acme" }).click();
      await page.getByText("Ask an owner of the account for an invitation link").waitFor();

      await page.goto(url);
      await page.getByRole("heading", { name: "Join First account" }).waitFor();
      expect(await page.getByLabel("Email").inputValue()).toBe("grace@example.com");
      expect(await listViolations(page)).toEqual([]);
      await page.getByRole("button", { name: "Join First account with Acme" }).click();
      await page.locator("main.page h1").waitFor();
      await page.goto("/app/settings/profile");
      await page.getByText("You are member of First account.").waitFor();
      expect(complaints).toEqual([]);

      await page.goto(url);
      await page.getByRole("heading", { name: "This invitation does not work" }).waitFor();
      await context.close();
    } finally {
      await joined.stop();
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("Webhook URL and storage", () => {
  it("[W1] [W5] [W12] a URL is set, tested, its secret changed, and it is removed", async () => {
    const { page, context, complaints } = await openSignedIn();
    await page.goto("/app/settings/webhook");
    await page.getByText("Nothing was sent yet").waitFor();
    await page.getByLabel("Webhook URL").fill("https://127.0.0.1/hook");
    await page.getByRole("button", { name: "Set the URL" }).click();
    await page
      .getByText(/private|not allowed|public/i)
      .first()
      .waitFor();
    await page.getByLabel("Webhook URL").fill("https://receiver.invalid/hook");
    await page.getByRole("button", { name: "Set the URL" }).click();
    const secret = page.getByRole("region", { name: "webhook secret" });
    await page.getByRole("button", { name: "Show it" }).click();
    const before = await secret.textContent();
    expect(before).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "Make a new one" }).click();
    await page.getByRole("button", { name: "Make a new secret" }).click();
    await expect.poll(() => secret.textContent()).not.toBe(before);
    await page.getByRole("button", { name: "Send a test event" }).click();
    await page.getByRole("row", { name: /Failed.*Test/ }).waitFor();
    await page.getByRole("button", { name: "Details" }).click();
    await page.getByRole("dialog").getByText("has no public address").waitFor();
    const body = await page.getByRole("region", { name: "request body" }).textContent();
    expect(JSON.parse(body ?? "")).toMatchObject({ targets: [{ status: "completed" }] });
    expect(body).not.toContain("Signature");
    expect(await listViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove the URL" }).click();
    await page.getByRole("button", { name: "Set the URL" }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("[N3] a role's trust policy is shown with the external id of the integration", async () => {
    const { page, context } = await openSignedIn();
    await page.goto("/app/settings/storage");
    await page.getByRole("button", { name: "Add storage" }).click();
    await page.getByLabel("Bucket").fill("acme-recordings");
    await page.getByLabel("Role ARN").fill("arn:aws:iam::123456789012:role/stems");
    await page.getByLabel("Region").fill("eu-west-1");
    await page.getByRole("button", { name: "Add it" }).click();
    await page.getByText("How to set up the role").click();
    const policy = await page.getByRole("region", { name: "trust policy" }).textContent();
    const [integration] = (await (await service.call("/storage-integrations")).json()) as {
      authConfig: { externalId: string };
    }[];
    expect(JSON.parse(policy ?? "")).toMatchObject({
      Statement: [
        {
          Principal: { AWS: PRINCIPAL },
          Condition: { StringEquals: { "sts:ExternalId": integration?.authConfig.externalId } },
        },
      ],
    });
    expect(await listViolations(page)).toEqual([]);
    await context.close();
  });
});

describe("Clients", () => {
  it("[PE8] [K5] an administrator acts for a client on all pages of one tab, and then for their own again", async () => {
    const { page, context, complaints } = await openSignedIn();
    await page.goto("/app/admin/clients");
    await page.getByRole("button", { name: "New client" }).click();
    await page.getByLabel("Name").fill("Acme");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /client/i })
      .click();
    await page.getByRole("button", { name: "Act for this client" }).click();
    const banner = page.getByRole("region", { name: "Acting for a client" });
    await banner.getByText("You act for Acme").waitFor();
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name").fill("For Acme");
    await page.getByRole("button", { name: "Make the key" }).click();
    const key = await page.getByRole("region", { name: "API key", exact: true }).textContent();
    await page.getByRole("button", { name: "I have it" }).click();
    const own = (await (await service.call("/account/keys")).json()) as { name: string }[];
    expect(own.map(({ name }) => name)).not.toContain("For Acme");
    await service.call("/webhooks", {
      method: "POST",
      body: JSON.stringify({ url: "https://acme.example/hook" }),
      headers: { "content-type": "application/json", "x-api-key": key ?? "" },
    });
    await page.getByRole("link", { name: "Webhook URL" }).click();
    await expect.poll(() => page.getByLabel("Webhook URL").inputValue()).toBe("https://acme.example/hook");
    await page.getByRole("link", { name: "Storage" }).click();
    await page.getByRole("button", { name: "Add storage" }).click();
    await page.getByLabel("Bucket").fill("acme-masters");
    await page.getByLabel("Role ARN").fill("arn:aws:iam::123456789012:role/acme");
    await page.getByLabel("Region").fill("eu-west-1");
    await page.getByRole("button", { name: "Add it" }).click();
    await page.getByRole("heading", { name: "s3://acme-masters" }).waitFor();
    expect(
      await (await service.call("/storage-integrations", { headers: { "x-api-key": key ?? "" } })).json(),
    ).toMatchObject([{ storageName: "acme-masters" }]);
    expect(await listViolations(page)).toEqual([]);
    await banner.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("heading", { name: "Acme", level: 1 }).waitFor();
    expect(await banner.count()).toBe(0);
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
    await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
    expect(await page.getByRole("row", { name: /For Acme/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
