import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anEmail, anOffice, password } from "../../../../../test/support/office.ts";
import { portfolioClient } from "../../../test/clients.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import { aDraftLease, createLeaseReferences, aTenant, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const { client, caller } = portfolioClient(office);
const SEVEN_DAYS_MS = 7 * 86_400_000;
const invite = async (terms: object = {}) => {
  const tenant = await aTenant(office, { email: anEmail() });
  return office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"], ...terms } });
};
const portalStatusOf = async (tenantId: string) => (await office.call("getTenant", { params: { id: tenantId } })).tenant.portalStatus;

describe("createTenantInvite", () => {
  test("returns an invite that expires after seven days, and the link that was sent", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    const sentAfter = Date.now();
    const response = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
    expect(response).toMatchObject({
      invite: { tenantId: tenant.id, leaseId: null, email: tenant.email, status: "pending", acceptedAt: null, revokedAt: null, createdByUserId: office.userId },
      shortInviteLink: expect.stringMatching(/\/api\/i\/[0-9A-Za-z]{12}$/),
      smsDelivery: null,
    });
    expect(Date.parse(response.invite.expiresAt)).toBeGreaterThanOrEqual(sentAfter + SEVEN_DAYS_MS);
    expect(Date.parse(response.invite.expiresAt)).toBeLessThanOrEqual(Date.now() + SEVEN_DAYS_MS);
    expect(new URL(response.inviteLink!).pathname).toBe(`/invites/${response.invite.token}`);
    expect(["sent", "queued"]).toContain(response.emailDelivery!.status);
    const { messages } = await office.call("listDevOutbox", { query: { to: tenant.email! } });
    expect(messages[0]!.links).toContain(response.inviteLink);
    expect(await portalStatusOf(tenant.id)).toBe("invited");
    expect(await findOutboxEvents(office, response.invite.id)).toMatchObject([{ type: "invite.created", data: { kind: "tenant", subjectId: tenant.id } }]);
  });

  test("does not store the token, not even with an Idempotency-Key", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    const request = { body: { tenantId: tenant.id, channels: ["email" as const] }, headers: { "Idempotency-Key": unknownId() } };
    const first = await office.attempt("createTenantInvite", request);
    const replay = await office.attempt("createTenantInvite", request);
    expect(replay.body).toEqual(first.body);
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
    const { messages } = await office.call("listDevOutbox", { query: { to: tenant.email! } });
    expect(messages).toHaveLength(1);
    const rows = await queryRows(office.organizationId, "select i::text from invite i where id = $1 union all select k::text from idempotency_key k", [
      first.body.invite.id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(first.body.invite.token!.slice(2));
  });

  test("revokes the previous invite", async () => {
    const { invite: first } = await invite();
    const { invite: second } = await office.call("createTenantInvite", { body: { tenantId: first.tenantId, channels: ["email"] } });
    expect((await findOutboxEvents(office, first.id)).map(({ type }) => type)).toEqual(["invite.created", "invite.revoked"]);
    await expect(client.findInvite(caller, { token: first.token! })).rejects.toMatchObject({ status: 404 });
    expect(await client.findInvite(caller, { token: second.token! })).toMatchObject({ id: second.id });
  });

  test("leaves one pending invite after concurrent calls", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    await Promise.all(Array.from({ length: 8 }, () => office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } })));
    expect(await queryRows(office.organizationId, "select id from invite where tenant_id = $1 and status = 'pending'", [tenant.id])).toHaveLength(1);
  });

  test("reports a text message without consent as skipped", async () => {
    const tenant = await aTenant(office, { phone: "2175550100", email: anEmail() });
    const { smsDelivery, emailDelivery } = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["sms"] } });
    expect([smsDelivery, emailDelivery]).toMatchObject([{ status: "skipped", error: "no_consent" }, null]);
  });

  test("sends a text message to the number that the tenant has consented to, until the consent is withdrawn", async () => {
    const phone = `+1217556${String(Math.floor(Math.random() * 10_000)).padStart(4, "0")}`;
    const { id: tenantId } = await aTenant(office, { phone, email: anEmail() });
    const consent = (granted: boolean) => office.call("updateTenant", { params: { id: tenantId }, body: { smsConsent: { granted, source: "signed lease" } } });
    const send = async (terms: { phone?: string } = {}) =>
      (await office.call("createTenantInvite", { body: { tenantId, channels: ["sms"], ...terms } })).smsDelivery;
    await consent(true);
    expect(await send()).toMatchObject({ status: "sent", messageId: expect.any(String) });
    expect(await send({ phone: "2175550199" })).toMatchObject({ status: "skipped", error: "no_consent" });
    await consent(false);
    expect(await send()).toMatchObject({ status: "skipped", error: "no_consent" });
    expect((await office.call("listDevOutbox", { query: { to: phone } })).messages).toHaveLength(1);
  });

  test("uses the email and leaseId of the request", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aDraftLease(office, references);
    const email = anEmail();
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: references.tenantId, channels: ["email"], email, leaseId: lease.id } });
    expect(invite).toMatchObject({ email, leaseId: lease.id });
  });

  test("rejects invalid requests, and staff", async () => {
    const references = await createLeaseReferences(office);
    const [lease, foreign, uninvited] = await Promise.all([aDraftLease(office, references), aTenant(otherOffice), aTenant(office)]);
    const errorsOf = async (body: object) =>
      (await office.attempt("createTenantInvite", { body: { tenantId: uninvited.id, channels: ["email"], email: anEmail(), ...body } })).body.errors;
    expect(await errorsOf({ email: undefined })).toMatchObject([{ path: "email", code: "required" }]);
    expect(await errorsOf({ email: undefined, channels: ["sms"], phone: "2175550100" })).toMatchObject([{ path: "email", code: "required" }]);
    expect(await errorsOf({ channels: [] })).toMatchObject([{ path: "channels", code: "too_short" }]);
    expect(await errorsOf({ channels: ["pigeon"] })).toMatchObject([{ path: "channels.0", code: "enum" }]);
    expect(await errorsOf({ phone: "12345678" })).toMatchObject([{ path: "phone", code: "format" }]);
    expect(await errorsOf({ tenantId: unknownId() })).toMatchObject([{ path: "tenantId", code: "not_found" }]);
    expect(await errorsOf({ tenantId: foreign.id })).toMatchObject([{ path: "tenantId", code: "not_found" }]);
    expect(await errorsOf({ leaseId: unknownId() })).toMatchObject([{ path: "leaseId", code: "not_found" }]);
    expect(await errorsOf({ leaseId: lease.id })).toMatchObject([{ path: "leaseId", code: "mismatch" }]);
    const staff = await office.colleague("staff");
    expect((await staff.attempt("createTenantInvite", { body: { tenantId: uninvited.id, channels: ["sms"] } })).status).toBe(403);
  });

  test("rejects an address with which another user signs in, also when the invite is sent again, and accepts that of a person who was deleted", async () => {
    const shared = anEmail();
    const [first, second] = [await aTenant(office, { email: shared }), await aTenant(office, { email: shared })];
    const attemptFor = async (tenantId: string, body: object = {}) =>
      (await office.attempt("createTenantInvite", { body: { tenantId, channels: ["email"], ...body } })).body;
    const earlier = (await office.call("createTenantInvite", { body: { tenantId: second.id, channels: ["email"] } })).invite;
    const { invite: accepted } = await office.call("createTenantInvite", { body: { tenantId: first.id, channels: ["email"] } });
    await new Client(office.baseUrl).call("acceptInvite", { params: { token: accepted.token! }, body: { password } });
    expect(await attemptFor(second.id)).toMatchObject({ code: "duplicate", message: expect.stringContaining("another one in email") });
    expect(await attemptFor(second.id, { email: office.email.toUpperCase() })).toMatchObject({ code: "duplicate" });
    const resent = await office.attempt("resendTenantInvite", { params: { id: earlier.id }, body: { channels: ["email"] } });
    expect([resent.status, resent.body.code]).toEqual([409, "duplicate"]);
    expect((await office.call("getTenantInvite", { params: { id: earlier.id } })).invite.status).toBe("pending");
    await office.call("deleteTenant", { params: { id: first.id } });
    expect((await attemptFor(second.id)).invite).toMatchObject({ status: "pending", email: shared });
  });
});

describe("revokeTenantInvite", () => {
  test("revokes a pending invite once", async () => {
    const { invite: pending } = await invite();
    const params = { id: pending.id };
    const { invite: revoked } = await office.call("revokeTenantInvite", { params });
    expect(revoked).toMatchObject({ id: pending.id, status: "revoked" });
    expect(revoked.revokedAt).not.toBeNull();
    expect(await portalStatusOf(pending.tenantId)).toBe("none");
    expect((await office.attempt("revokeTenantInvite", { params })).body.code).toBe("invalid_transition");
    await expect(client.findInvite(caller, { token: pending.token! })).rejects.toMatchObject({ status: 404 });
    await expect(client.claimInvite(caller, { token: pending.token! })).rejects.toMatchObject({ status: 404 });
    expect((await findOutboxEvents(office, pending.id)).map(({ type }) => type)).toEqual(["invite.created", "invite.revoked"]);
  });

  test("rejects an expired invite, whose token is invalid, and returns 404 to another organization", async () => {
    const { invite: pending } = await invite();
    expect((await otherOffice.attempt("revokeTenantInvite", { params: { id: pending.id } })).status).toBe(404);
    await queryRows(office.organizationId, "update invite set expires_at = now() where id = $1", [pending.id]);
    expect((await office.attempt("revokeTenantInvite", { params: { id: pending.id } })).body.code).toBe("invalid_transition");
    await expect(client.findInvite(caller, { token: pending.token! })).rejects.toMatchObject({ status: 404 });
    await expect(client.claimInvite(caller, { token: pending.token! })).rejects.toMatchObject({ status: 404 });
  });
});

describe("ClaimInvite", () => {
  test("returns one user id for concurrent calls", async () => {
    const { invite: pending } = await invite();
    expect(await client.findInvite(caller, { token: pending.token! })).toMatchObject({
      kind: "tenant",
      subjectId: pending.tenantId,
      email: pending.email,
      status: "pending",
    });
    const responses = await Promise.all(Array.from({ length: 8 }, () => client.claimInvite(caller, { token: pending.token! })));
    expect(new Set(responses.map(({ userId }) => userId)).size).toBe(1);
    expect(responses[0]).toMatchObject({ id: pending.id, status: "accepted", subjectId: pending.tenantId });
    const { tenant } = await office.call("getTenant", { params: { id: pending.tenantId } });
    expect(tenant).toMatchObject({ portalStatus: "active", userId: responses[0]!.userId });
    expect((await findOutboxEvents(office, pending.tenantId)).map(({ type }) => type)).toEqual(["tenant.created", "tenant.updated"]);
    expect((await office.attempt("revokeTenantInvite", { params: { id: pending.id } })).body.code).toBe("invalid_transition");
    const rejected = await office.attempt("createTenantInvite", { body: { tenantId: pending.tenantId, channels: ["email"] } });
    expect(rejected.body.code).toBe("duplicate");
  });

  test("links the tenant to the user on acceptance", async () => {
    const { id } = await aTenant(office);
    const user = await office.tenantUser(id);
    const { tenant } = await office.call("getTenant", { params: { id } });
    expect(tenant).toMatchObject({ userId: user.userId, portalStatus: "active" });
    expect((await user.attempt("getTenant", { params: { id } })).body.code).toBe("role_forbidden");
  });

  test("accepts either a claim or a concurrent revocation, and the tenant's portal status matches", async () => {
    for (let n = 0; n < 5; n++) {
      const { invite: pending } = await invite();
      const [claimed, revoked] = await Promise.all([
        client.claimInvite(caller, { token: pending.token! }).then(
          () => true,
          () => false,
        ),
        office.attempt("revokeTenantInvite", { params: { id: pending.id } }),
      ]);
      expect(claimed).toBe(revoked.status === 409);
      expect(await portalStatusOf(pending.tenantId)).toBe(claimed ? "active" : "none");
    }
  });

  test("rejects a forged token and a token of another organization", async () => {
    const { invite: pending } = await invite();
    const forged = `${pending.token!.slice(0, -1)}${pending.token!.endsWith("A") ? "B" : "A"}`;
    for (const token of [forged, "", "t.", pending.token!.slice(2)]) await expect(client.findInvite(caller, { token })).rejects.toMatchObject({ status: 404 });
    const other = portfolioClient(otherOffice);
    await expect(other.client.findInvite(other.caller, { token: pending.token! })).rejects.toMatchObject({ status: 404 });
    await expect(other.client.claimInvite(other.caller, { token: pending.token! })).rejects.toMatchObject({ status: 404 });
  });
});
