import { describe, expect, test } from "@jest/globals";
import { anEmail, anOffice } from "../../../../../test/support/office.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findOutboxEvents, makeJobsDue, queryRows } from "../../../test/database.ts";
import { anOwner, aTenant } from "../../../test/fixtures.ts";

const office = await anOffice();
const expire = (id: string) => queryRows(office.organizationId, "update invite set expires_at = now() - interval '1 minute' where id = $1", [id]);
const eventTypes = async (id: string) => (await findOutboxEvents(office, id)).map(({ type }) => type);

describe("an expired invite", () => {
  test("publishes invite.expired once and resets the portal status", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
    await expire(invite.id);
    await makeJobsDue(office);
    await eventually("expiry", async () => (await eventTypes(invite.id)).includes("invite.expired"));
    expect((await office.call("getTenant", { params: { id: tenant.id } })).tenant.portalStatus).toBe("none");
    expect((await office.call("getTenantInvite", { params: { id: invite.id } })).invite.status).toBe("expired");
    await makeJobsDue(office);
    const owner = await anOwner(office, { email: anEmail() });
    const { invite: later } = await office.call("createOwnerInvite", { body: { ownerId: owner.id, channels: ["email"] } });
    await expire(later.id);
    await makeJobsDue(office);
    await eventually("second expiry", async () => (await eventTypes(later.id)).includes("invite.expired"));
    expect(await eventTypes(invite.id)).toEqual(["invite.created", "invite.expired"]);
    expect((await findOutboxEvents(office, later.id)).at(-1)).toMatchObject({ data: { kind: "owner", subjectId: owner.id }, actorUserId: null });
  });

  test("that is resent expires again", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
    for (const expiryCount of [1, 2]) {
      await expire(invite.id);
      await makeJobsDue(office);
      await eventually("expiry", async () => (await eventTypes(invite.id)).filter((type) => type === "invite.expired").length === expiryCount);
      const { invite: resent } = await office.call("resendTenantInvite", { params: { id: invite.id }, body: { channels: ["email"] } });
      expect(resent.status).toBe("pending");
      expect((await office.call("getTenant", { params: { id: tenant.id } })).tenant.portalStatus).toBe("invited");
    }
  });

  test("is not published as expired after its acceptance or revocation", async () => {
    const [accepted, revoked] = await Promise.all([aTenant(office), aTenant(office)]);
    await office.tenantUser(accepted.id);
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: revoked.id, channels: ["email"], email: anEmail() } });
    await office.call("revokeTenantInvite", { params: { id: invite.id } });
    const { invites } = await office.call("listTenantInvites", { query: { tenantId: accepted.id } });
    for (const { id } of [invite, ...invites]) await expire(id);
    const invitedTenant = await aTenant(office, { email: anEmail() });
    const { invite: pending } = await office.call("createTenantInvite", { body: { tenantId: invitedTenant.id, channels: ["email"] } });
    await expire(pending.id);
    await makeJobsDue(office);
    await eventually("expiry", async () => (await eventTypes(pending.id)).includes("invite.expired"));
    for (const { id } of [invite, ...invites]) expect(await eventTypes(id)).not.toContain("invite.expired");
    expect((await office.call("getTenant", { params: { id: accepted.id } })).tenant.portalStatus).toBe("active");
  });
});
