import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { anEmail, anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { portfolioClient } from "../../../test/clients.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import { anOwner, aTenant, aVendor, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const staff = await office.colleague("staff");
const { client, caller } = portfolioClient(office);
const SEVEN_DAYS_MS = 7 * 86_400_000;

const createInvite = async () => {
  const tenant = await aTenant(office, { email: anEmail() });
  return office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
};
const resend = (id: string, headers: Record<string, string> = {}) =>
  office.attempt("resendTenantInvite", { params: { id }, body: { channels: ["email"] }, headers });
const expire = (id: string) => queryRows(office.organizationId, "update invite set expires_at = now() - interval '1 minute' where id = $1", [id]);

describe("resendTenantInvite", () => {
  test("sends a new link that expires later; the previous link is invalid", async () => {
    const { invite } = await createInvite();
    const { status, body } = await resend(invite.id);
    expect([status, body.invite]).toMatchObject([200, { id: invite.id, status: "pending", email: invite.email }]);
    expect(body.invite.token).not.toBe(invite.token);
    expect(Date.parse(body.invite.expiresAt)).toBeGreaterThan(Date.parse(invite.expiresAt));
    await expect(client.findInvite(caller, { token: invite.token! })).rejects.toMatchObject({ status: 404 });
    expect(await client.findInvite(caller, { token: body.invite.token! })).toMatchObject({ id: invite.id });
    const { messages } = await office.call("listDevOutbox", { query: { to: invite.email } });
    expect(messages).toHaveLength(2);
    expect(messages[0]!.links).toContain(body.inviteLink);
    expect((await findOutboxEvents(office, invite.id)).map(({ type }) => type)).toEqual(["invite.created", "invite.resent"]);
  });

  test("renews an expired invite for seven days", async () => {
    const { invite } = await createInvite();
    await expire(invite.id);
    expect((await office.call("getTenantInvite", { params: { id: invite.id } })).invite.status).toBe("expired");
    const resentAfter = Date.now();
    const renewed = (await resend(invite.id)).body.invite;
    expect(renewed.status).toBe("pending");
    expect(Date.parse(renewed.expiresAt)).toBeGreaterThanOrEqual(resentAfter + SEVEN_DAYS_MS);
    expect(Date.parse(renewed.expiresAt)).toBeLessThanOrEqual(Date.now() + SEVEN_DAYS_MS);
  });

  test("sends one message per Idempotency-Key and does not store the token", async () => {
    const { invite } = await createInvite();
    const headers = { "Idempotency-Key": unknownId() };
    const [first, replay] = [await resend(invite.id, headers), await resend(invite.id, headers)];
    expect(replay.body).toEqual(first.body);
    expect((await office.call("listDevOutbox", { query: { to: invite.email } })).messages).toHaveLength(2);
    const rows = await queryRows(office.organizationId, "select k::text from idempotency_key k");
    // The first two characters of a token are only the prefix of its kind.
    expect(JSON.stringify(rows)).not.toContain(first.body.invite.token!.slice(2));
  });

  test("is rejected for revoked and accepted invites, other organizations and staff", async () => {
    const { invite } = await createInvite();
    await office.call("revokeTenantInvite", { params: { id: invite.id } });
    expect((await resend(invite.id)).body.code).toBe("invalid_transition");
    const request = { params: { id: invite.id }, body: { channels: ["email" as const] } };
    expect((await otherOffice.attempt("resendTenantInvite", request)).status).toBe(404);
    expect((await staff.attempt("resendTenantInvite", request)).status).toBe(403);
    expect((await office.attempt("resendOwnerInvite", request)).status).toBe(404);
    const { invite: accepted } = await createInvite();
    await client.claimInvite(caller, { token: accepted.token! });
    expect((await resend(accepted.id)).body.code).toBe("invalid_transition");
  });

  test("makes the previous link invalid for an acceptance that has already begun", async () => {
    const { invite } = await createInvite();
    const connection = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
    await connection.connect();
    try {
      await connection.query("begin");
      await connection.query("select set_config('app.organization_id', $1, true)", [office.organizationId]);
      await connection.query("select id from tenant where id = $1 for update", [invite.tenantId]);
      const { rows } = await connection.query<{ pid: number }>("select pg_backend_pid() as pid");
      const acceptance = client.claimInvite(caller, { token: invite.token! }).then(
        () => 200,
        ({ status }: { status: number }) => status,
      );
      await eventually("acceptance that waits for the tenant", async () => {
        const blocked = await connection.query("select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))", [rows[0]!.pid]);
        return blocked.rows.length > 0;
      });
      await connection.query("update invite set nonce = gen_random_uuid() where id = $1", [invite.id]);
      await connection.query("commit");
      expect(await acceptance).toBe(404);
      expect((await office.call("getTenant", { params: { id: invite.tenantId } })).tenant.portalStatus).toBe("invited");
    } finally {
      await connection.end();
    }
  });

  test("is rejected when a lost acceptance is repeated meanwhile, and the portal stays active", async () => {
    const { invite } = await createInvite();
    await client.claimInvite(caller, { token: invite.token! });
    await queryRows(office.organizationId, "update invite set accepted_at = now() - interval '3 minutes' where id = $1", [invite.id]);
    const connection = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
    await connection.connect();
    try {
      await connection.query("begin");
      await connection.query("select set_config('app.organization_id', $1, true)", [office.organizationId]);
      await connection.query("select id from tenant where id = $1 for update", [invite.tenantId]);
      const { rows } = await connection.query<{ pid: number }>("select pg_backend_pid() as pid");
      const resending = resend(invite.id);
      await eventually("resending that waits for the tenant", async () => {
        const blocked = await connection.query("select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))", [rows[0]!.pid]);
        return blocked.rows.length > 0;
      });
      // As a repeated acceptance leaves it, whose user identity has not created yet.
      await connection.query("update invite set accepted_at = now() where id = $1", [invite.id]);
      await connection.query("commit");
      expect((await resending).body.code).toBe("invalid_transition");
      expect((await office.call("getTenantInvite", { params: { id: invite.id } })).invite.status).toBe("accepted");
      expect((await office.call("getTenant", { params: { id: invite.tenantId } })).tenant.portalStatus).toBe("active");
    } finally {
      await connection.end();
    }
  });

  test("leaves the invite revoked after concurrent resending and revocation", async () => {
    const { invite } = await createInvite();
    const [resent, revoked] = await Promise.all([resend(invite.id), office.attempt("revokeTenantInvite", { params: { id: invite.id } })]);
    expect(revoked.status).toBe(200);
    expect([200, 409]).toContain(resent.status);
    expect((await office.call("getTenantInvite", { params: { id: invite.id } })).invite.status).toBe("revoked");
  });
});

describe("invites to the portals", () => {
  test("are listed by subject and status, without tokens for staff", async () => {
    const [{ invite: pending }, { invite: expired }] = await Promise.all([createInvite(), createInvite()]);
    await expire(expired.id);
    const ids = async (query: Record<string, string>) => (await office.call("listTenantInvites", { query })).invites.map(({ id }) => id);
    expect(await ids({ status: "expired" })).toEqual([expired.id]);
    expect(await ids({ tenantId: pending.tenantId })).toEqual([pending.id]);
    expect(await ids({ status: "pending", createdBefore: "2020-01-01" })).toEqual([]);
    expect(await office.call("getTenantInvite", { params: { id: pending.id } })).toEqual({ invite: pending });
    expect((await staff.call("getTenantInvite", { params: { id: pending.id } })).invite).toEqual({ ...pending, token: null });
    const tokensForStaff = (await staff.call("listTenantInvites", {})).invites.map(({ token }) => token);
    expect(new Set(tokensForStaff)).toEqual(new Set([null]));
    expect((await otherOffice.attempt("getTenantInvite", { params: { id: pending.id } })).status).toBe(404);
  });

  test("of owners and vendors are listed and resent in the same way", async () => {
    const [owner, vendor] = await Promise.all([anOwner(office, { email: anEmail() }), aVendor(office, { email: anEmail() })]);
    const channels: "email"[] = ["email"];
    const { invite: ownerInvite } = await office.call("createOwnerInvite", { body: { ownerId: owner.id, channels } });
    const { invite: vendorInvite } = await office.call("createVendorInvite", { body: { vendorId: vendor.id, channels } });
    expect((await office.call("listOwnerInvites", { query: { ownerId: owner.id } })).invites).toEqual([ownerInvite]);
    expect((await office.call("listVendorInvites", { query: { vendorId: vendor.id } })).invites).toEqual([vendorInvite]);
    expect((await office.call("resendOwnerInvite", { params: { id: ownerInvite.id }, body: { channels } })).invite).toMatchObject({
      id: ownerInvite.id,
      ownerId: owner.id,
    });
    expect((await office.call("resendVendorInvite", { params: { id: vendorInvite.id }, body: { channels } })).invite).toMatchObject({ id: vendorInvite.id });
    expect((await office.attempt("getTenantInvite", { params: { id: ownerInvite.id } })).status).toBe(404);
  });
});
