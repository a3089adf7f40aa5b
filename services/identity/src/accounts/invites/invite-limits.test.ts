import { describe, expect, test } from "@jest/globals";
import { randomBytes, randomUUID } from "node:crypto";
import { freePorts } from "../../../../../deploy/system/ports.ts";
import { Client } from "../../../../../test/support/client.ts";
import { anEmail, anOffice, confirmAddress, password } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { startServiceProcess } from "../../../../../test/support/service-process.ts";
import { assertionHeader } from "../../../test/assertion.ts";
import { startIdentity } from "../../../test/process.ts";

const { baseUrl } = running();

/** Signs up an organization whose admin has not confirmed the e-mail address. */
async function anUnconfirmedOffice() {
  const client = new Client(baseUrl);
  const email = anEmail();
  const { accessToken, user } = await client.call("signUp", { body: { organizationName: "Elm Street", fullName: "Ada Admin", email, password } });
  client.token = accessToken;
  const { tenant } = await client.call("createTenant", { body: { fullName: "Tess Tenant" } });
  return { client, email, user, tenantId: tenant.id };
}
type Unconfirmed = Awaited<ReturnType<typeof anUnconfirmedOffice>>;
const inviteUser = ({ client }: Unconfirmed, email = anEmail()) => client.attempt("createUser", { body: { email, fullName: "Ivy Invited", role: "staff" } });
const inviteTenant = ({ client, tenantId }: Unconfirmed, headers: Record<string, string> = {}) =>
  client.attempt("createTenantInvite", { body: { tenantId, email: anEmail(), channels: ["email"] }, headers });

describe("before an admin has confirmed an e-mail address", () => {
  test("five invites to users and portals can be sent, resent ones included, and any number afterwards", async () => {
    const office = await anUnconfirmedOffice();
    const { body: user } = await inviteUser(office);
    const { body: tenant } = await inviteTenant(office);
    const resendUser = () => office.client.attempt("resendUserInvite", { params: { id: user.user.id } });
    const resendTenant = () => office.client.attempt("resendTenantInvite", { params: { id: tenant.invite.id }, body: { channels: ["email"] } });
    expect([(await resendUser()).status, (await resendTenant()).status, (await inviteUser(office)).status]).toEqual([200, 200, 200]);
    for (const refused of [await inviteUser(office), await inviteTenant(office), await resendUser(), await resendTenant()]) {
      expect([refused.status, refused.body.code]).toEqual([403, "email_unconfirmed"]);
      expect(refused.body.message).toContain("Open the link in the e-mail");
    }
    await confirmAddress(baseUrl, office.email);
    for (const allowed of [await inviteUser(office), await inviteTenant(office), await resendUser()]) expect(allowed.status).toBe(200);
  });

  test("exactly five of twenty concurrent invites are sent", async () => {
    const office = await anUnconfirmedOffice();
    const responses = await Promise.all(Array.from({ length: 20 }, () => inviteUser(office)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    expect((await office.client.call("listUsers")).users).toHaveLength(6);
  });

  test("an invite that is not sent does not count", async () => {
    const office = await anUnconfirmedOffice();
    const unknownTenant = { ...office, tenantId: randomUUID() };
    for (let attempt = 0; attempt < 6; attempt++) {
      expect((await inviteTenant(unknownTenant)).status).toBe(400);
      expect((await inviteUser(office, office.email)).status).toBe(409);
    }
    expect((await inviteTenant(office)).status).toBe(200);
  });

  test("a repeated request with the same Idempotency-Key is answered and does not count", async () => {
    const office = await anUnconfirmedOffice();
    const headers = { "Idempotency-Key": randomUUID() };
    const body = { tenantId: office.tenantId, email: anEmail(), channels: ["email" as const] };
    const send = () => office.client.attempt("createTenantInvite", { body, headers });
    for (let attempt = 0; attempt < 6; attempt++) expect((await send()).status).toBe(200);
    for (let attempt = 0; attempt < 4; attempt++) expect((await inviteUser(office)).status).toBe(200);
    expect([(await inviteUser(office)).status, (await send()).status]).toEqual([403, 200]);
  });

  test("an invite that the sender accepts is no confirmation, also of an admin", async () => {
    const office = await anUnconfirmedOffice();
    const { inviteLink } = await office.client.call("createUser", { body: { email: anEmail(), fullName: "Ada Again", role: "admin" } });
    await new Client(baseUrl).call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password } });
    for (let attempt = 0; attempt < 4; attempt++) expect((await inviteUser(office)).status).toBe(200);
    expect((await inviteUser(office)).body.code).toBe("email_unconfirmed");
  });
});

describe("a recipient", () => {
  test("gets a limited number of invites of each kind from an organization in a day, 429 with Retry-After beyond", async () => {
    const office = await anOffice();
    const [port] = (await freePorts(1)) as [number];
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "10", MAILS_PER_RECIPIENT: "2", GRPC_PORT: String(port) });
    const portfolio = await startServiceProcess("portfolio", {
      IDENTITY_GRPC: `127.0.0.1:${port}`,
      PORTFOLIO_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    });
    try {
      const headers = await assertionHeader(office);
      const email = anEmail();
      const { user } = await identity.client.call("createUser", { body: { email, fullName: "Ivy Invited", role: "staff" }, headers });
      const resend = () => identity.client.attempt("resendUserInvite", { params: { id: user.id }, headers });
      const portal = new Client(portfolio.baseUrl);
      const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant", email } });
      const invite = () => portal.attempt("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] }, headers });
      for (const send of [resend, invite, invite]) expect((await send()).status).toBe(200);
      for (const send of [resend, invite]) {
        const refused = await send();
        expect([refused.status, refused.body.code, Number(refused.headers.get("retry-after")) > 80_000]).toEqual([429, "rate_limited", true]);
      }
      expect((await identity.client.attempt("createUser", { body: { email: anEmail(), fullName: "Ivy", role: "staff" }, headers })).status).toBe(200);
    } finally {
      await Promise.all([identity.stop(), portfolio.end("SIGTERM")]);
    }
  });
});
