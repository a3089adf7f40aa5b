import { describe, expect, test } from "@jest/globals";
import { anEmail, anOffice } from "../../../../../test/support/office.ts";
import { portfolioClient } from "../../../test/clients.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import { aDraftLease, createLeaseReferences, aTenant, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const { client, caller } = portfolioClient(office);
const invite = async (terms: object = {}) => {
  const tenant = await aTenant(office, { email: anEmail() });
  return office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"], ...terms } });
};
const statusOf = async (tenantId: string) => (await office.call("getTenant", { params: { id: tenantId } })).tenant.portalStatus;

describe("createTenantInvite", () => {
  test("returns an invite for seven days and the link that was sent", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    const answer = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
    expect(answer).toMatchObject({
      invite: { tenantId: tenant.id, leaseId: null, email: tenant.email, status: "pending", acceptedAt: null, revokedAt: null, createdByUserId: office.userId },
      shortInviteLink: expect.stringMatching(/\/api\/i\/[0-9A-Za-z]{12}$/),
      smsDelivery: null,
    });
    expect(Date.parse(answer.invite.expiresAt) - Date.parse(answer.invite.createdAt)).toBeGreaterThan(7 * 86_400_000 - 5_000);
    expect(new URL(answer.inviteLink).pathname).toBe(`/invites/${answer.invite.token}`);
    expect(["sent", "queued"]).toContain(answer.emailDelivery!.status);
    const { messages } = await office.call("listDevOutbox", { query: { to: tenant.email! } });
    expect(messages[0]!.links).toContain(answer.inviteLink);
    expect(await statusOf(tenant.id)).toBe("invited");
    expect(await findOutboxEvents(office, answer.invite.id)).toMatchObject([{ type: "invite.created", data: { kind: "tenant", subjectId: tenant.id } }]);
  });

  test("does not store the token, not even with an Idempotency-Key", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    const request = { body: { tenantId: tenant.id, channels: ["email" as const] }, headers: { "Idempotency-Key": unknownId() } };
    const first = await office.attempt("createTenantInvite", request);
    const again = await office.attempt("createTenantInvite", request);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const { messages } = await office.call("listDevOutbox", { query: { to: tenant.email! } });
    expect(messages).toHaveLength(1);
    const kept = await queryRows(office.organizationId, "select i::text from invite i where id = $1 union all select k::text from idempotency_key k", [
      first.body.invite.id,
    ]);
    expect(JSON.stringify(kept)).not.toContain(first.body.invite.token!.slice(2));
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
    expect([smsDelivery, emailDelivery]).toEqual([{ provider: "sms", status: "skipped", error: "no_consent" }, null]);
  });

  test("uses the email and leaseId of the request", async () => {
    const place = await createLeaseReferences(office);
    const lease = await aDraftLease(office, place);
    const email = anEmail();
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: place.tenantId, channels: ["email"], email, leaseId: lease.id } });
    expect(invite).toMatchObject({ email, leaseId: lease.id });
  });

  test("rejects invalid requests", async () => {
    const place = await createLeaseReferences(office);
    const [lease, foreign, uninvited] = await Promise.all([aDraftLease(office, place), aTenant(stranger), aTenant(office)]);
    const refused = async (body: object) =>
      (await office.attempt("createTenantInvite", { body: { tenantId: uninvited.id, channels: ["email"], email: anEmail(), ...body } })).body.errors;
    expect(await refused({ email: undefined })).toMatchObject([{ path: "email", code: "required" }]);
    expect(await refused({ email: undefined, channels: ["sms"], phone: "2175550100" })).toMatchObject([{ path: "email", code: "required" }]);
    expect(await refused({ channels: [] })).toMatchObject([{ path: "channels", code: "too_short" }]);
    expect(await refused({ channels: ["pigeon"] })).toMatchObject([{ path: "channels.0", code: "enum" }]);
    expect(await refused({ phone: "12345678" })).toMatchObject([{ path: "phone", code: "format" }]);
    expect(await refused({ tenantId: unknownId() })).toMatchObject([{ path: "tenantId", code: "not_found" }]);
    expect(await refused({ tenantId: foreign.id })).toMatchObject([{ path: "tenantId", code: "not_found" }]);
    expect(await refused({ leaseId: unknownId() })).toMatchObject([{ path: "leaseId", code: "not_found" }]);
    expect(await refused({ leaseId: lease.id })).toMatchObject([{ path: "leaseId", code: "mismatch" }]);
    const staff = await office.colleague("staff");
    expect((await staff.attempt("createTenantInvite", { body: { tenantId: uninvited.id, channels: ["sms"] } })).status).toBe(403);
  });
});

describe("revokeTenantInvite", () => {
  test("revokes a pending invite once", async () => {
    const { invite: made } = await invite();
    const params = { id: made.id };
    const { invite: revoked } = await office.call("revokeTenantInvite", { params });
    expect(revoked).toMatchObject({ id: made.id, status: "revoked" });
    expect(revoked.revokedAt).not.toBeNull();
    expect(await statusOf(made.tenantId)).toBe("none");
    expect((await office.attempt("revokeTenantInvite", { params })).body.code).toBe("invalid_transition");
    await expect(client.findInvite(caller, { token: made.token! })).rejects.toMatchObject({ status: 404 });
    await expect(client.claimInvite(caller, { token: made.token! })).rejects.toMatchObject({ status: 404 });
    expect((await findOutboxEvents(office, made.id)).map(({ type }) => type)).toEqual(["invite.created", "invite.revoked"]);
  });

  test("does not list expired invites as pending, and answers 404 to another organization", async () => {
    const { invite: made } = await invite();
    expect((await stranger.attempt("revokeTenantInvite", { params: { id: made.id } })).status).toBe(404);
    await queryRows(office.organizationId, "update invite set expires_at = now() where id = $1", [made.id]);
    expect((await office.attempt("revokeTenantInvite", { params: { id: made.id } })).body.code).toBe("invalid_transition");
    await expect(client.findInvite(caller, { token: made.token! })).rejects.toMatchObject({ status: 404 });
    await expect(client.claimInvite(caller, { token: made.token! })).rejects.toMatchObject({ status: 404 });
  });
});

describe("ClaimInvite", () => {
  test("returns one user id for concurrent calls", async () => {
    const { invite: made } = await invite();
    expect(await client.findInvite(caller, { token: made.token! })).toMatchObject({
      kind: "tenant",
      subjectId: made.tenantId,
      email: made.email,
      status: "pending",
    });
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.claimInvite(caller, { token: made.token! })));
    expect(new Set(answers.map(({ userId }) => userId)).size).toBe(1);
    expect(answers[0]).toMatchObject({ id: made.id, status: "accepted", subjectId: made.tenantId });
    const { tenant } = await office.call("getTenant", { params: { id: made.tenantId } });
    expect(tenant).toMatchObject({ portalStatus: "active", userId: answers[0]!.userId });
    expect((await findOutboxEvents(office, made.tenantId)).map(({ type }) => type)).toEqual(["tenant.created", "tenant.updated"]);
    expect((await office.attempt("revokeTenantInvite", { params: { id: made.id } })).body.code).toBe("invalid_transition");
    const again = await office.attempt("createTenantInvite", { body: { tenantId: made.tenantId, channels: ["email"] } });
    expect(again.body.code).toBe("duplicate");
  });

  test("links the tenant to the user on acceptance", async () => {
    const made = await aTenant(office);
    const user = await office.tenantUser(made.id);
    const { tenant } = await office.call("getTenant", { params: { id: made.id } });
    expect(tenant).toMatchObject({ userId: user.userId, portalStatus: "active" });
    expect((await user.attempt("getTenant", { params: { id: made.id } })).body.code).toBe("role_forbidden");
  });

  test("accepts either a concurrent claim or revocation, consistent with the tenant", async () => {
    for (let n = 0; n < 5; n++) {
      const { invite: made } = await invite();
      const [claimed, revoked] = await Promise.all([
        client.claimInvite(caller, { token: made.token! }).then(
          () => true,
          () => false,
        ),
        office.attempt("revokeTenantInvite", { params: { id: made.id } }),
      ]);
      expect(claimed).toBe(revoked.status === 409);
      expect(await statusOf(made.tenantId)).toBe(claimed ? "active" : "none");
    }
  });

  test("rejects a forged token and a token of another organization", async () => {
    const { invite: made } = await invite();
    const forged = `${made.token!.slice(0, -1)}${made.token!.endsWith("A") ? "B" : "A"}`;
    for (const token of [forged, "", "t.", made.token!.slice(2)]) await expect(client.findInvite(caller, { token })).rejects.toMatchObject({ status: 404 });
    const other = portfolioClient(stranger);
    await expect(other.client.findInvite(other.caller, { token: made.token! })).rejects.toMatchObject({ status: 404 });
    await expect(other.client.claimInvite(other.caller, { token: made.token! })).rejects.toMatchObject({ status: 404 });
  });
});
