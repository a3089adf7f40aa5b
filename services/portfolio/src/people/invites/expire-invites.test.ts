import { describe, expect, test } from "@jest/globals";
import { anEmail, anOffice } from "../../../../../test/support/office.ts";
import { eventually } from "../../../../../test/support/world.ts";
import { findOutboxEvents, makeJobsDue, queryRows } from "../../../test/database.ts";
import { anOwner, aTenant } from "../../../test/fixtures.ts";

const office = await anOffice();
const runOut = (id: string) => queryRows(office.organizationId, "update invite set expires_at = now() - interval '1 minute' where id = $1", [id]);
const told = async (id: string) => (await findOutboxEvents(office, id)).map(({ type }) => type);

describe("an invite that runs out", () => {
  test("is told of once, and nobody is shown as invited by it", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
    await runOut(invite.id);
    await makeJobsDue(office);
    await eventually("expiry", async () => ((await told(invite.id)).includes("invite.expired") ? true : undefined));
    expect((await office.call("getTenant", { params: { id: tenant.id } })).tenant.portalStatus).toBe("none");
    expect((await office.call("getTenantInvite", { params: { id: invite.id } })).invite.status).toBe("expired");
    await makeJobsDue(office);
    const owner = await anOwner(office, { email: anEmail() });
    const { invite: later } = await office.call("createOwnerInvite", { body: { ownerId: owner.id, channels: ["email"] } });
    await runOut(later.id);
    await makeJobsDue(office);
    await eventually("second expiry", async () => ((await told(later.id)).includes("invite.expired") ? true : undefined));
    expect(await told(invite.id)).toEqual(["invite.created", "invite.expired"]);
    expect((await findOutboxEvents(office, later.id)).at(-1)).toMatchObject({ data: { kind: "owner", subjectId: owner.id }, actorUserId: null });
  });

  test("and is sent again runs out once more", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
    for (const times of [1, 2]) {
      await runOut(invite.id);
      await makeJobsDue(office);
      await eventually("expiry", async () => ((await told(invite.id)).filter((type) => type === "invite.expired").length === times ? true : undefined));
      const { invite: again } = await office.call("resendTenantInvite", { params: { id: invite.id }, body: { channels: ["email"] } });
      expect(again.status).toBe("pending");
      expect((await office.call("getTenant", { params: { id: tenant.id } })).tenant.portalStatus).toBe("invited");
    }
  });

  test("after it was accepted or taken back is not told of", async () => {
    const [one, other] = await Promise.all([aTenant(office), aTenant(office)]);
    await office.tenantUser(one.id);
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: other.id, channels: ["email"], email: anEmail() } });
    await office.call("revokeTenantInvite", { params: { id: invite.id } });
    const { invites } = await office.call("listTenantInvites", { query: { tenantId: one.id } });
    for (const { id } of [invite, ...invites]) await runOut(id);
    const third = await aTenant(office, { email: anEmail() });
    const { invite: open } = await office.call("createTenantInvite", { body: { tenantId: third.id, channels: ["email"] } });
    await runOut(open.id);
    await makeJobsDue(office);
    await eventually("expiry", async () => ((await told(open.id)).includes("invite.expired") ? true : undefined));
    for (const { id } of [invite, ...invites]) expect(await told(id)).not.toContain("invite.expired");
    expect((await office.call("getTenant", { params: { id: one.id } })).tenant.portalStatus).toBe("active");
  });
});
