import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anEmail, anOffice, password } from "../../../../../test/support/office.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { portfolioClient } from "../../../test/clients.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import { anOwner, aVendor, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const { client, caller } = portfolioClient(office);

type Terms = { email?: string; channels?: ("email" | "sms")[]; phone?: string };
const channels = ["email" as const];
const SEVEN_DAYS_MS = 7 * 86_400_000;

/** Operations of each portal: the same tests run for owners and vendors. */
const portals = {
  owner: {
    tokenPrefix: "o.",
    createSubject: async (email: string, targetOffice = office) => (await anOwner(targetOffice, { email, phone: "2175550100" })).id,
    read: async (id: string) => (await office.call("getOwner", { params: { id } })).owner,
    attempt: (ownerId: string, terms: Terms = {}, apiClient: Client = office) =>
      apiClient.attempt("createOwnerInvite", { body: { ownerId, channels, ...terms } }),
    invite: (ownerId: string, terms: Terms = {}) => office.call("createOwnerInvite", { body: { ownerId, channels, ...terms } }),
    revoke: (id: string, apiClient: Client = office) => apiClient.attempt("revokeOwnerInvite", { params: { id } }),
    revokeOther: (id: string) => office.attempt("revokeVendorInvite", { params: { id } }),
    resend: (id: string) => office.attempt("resendOwnerInvite", { params: { id }, body: { channels } }),
    user: (id: string) => office.ownerUser(id),
    remove: async (id: string) => (await office.call("deleteOwner", { params: { id } })).owner,
  },
  vendor: {
    tokenPrefix: "v.",
    createSubject: async (email: string, targetOffice = office) => (await aVendor(targetOffice, { email, phone: "2175550100" })).id,
    read: async (id: string) => (await office.call("getVendor", { params: { id } })).vendor,
    attempt: (vendorId: string, terms: Terms = {}, apiClient: Client = office) =>
      apiClient.attempt("createVendorInvite", { body: { vendorId, channels, ...terms } }),
    invite: (vendorId: string, terms: Terms = {}) => office.call("createVendorInvite", { body: { vendorId, channels, ...terms } }),
    revoke: (id: string, apiClient: Client = office) => apiClient.attempt("revokeVendorInvite", { params: { id } }),
    revokeOther: (id: string) => office.attempt("revokeOwnerInvite", { params: { id } }),
    resend: (id: string) => office.attempt("resendVendorInvite", { params: { id }, body: { channels } }),
    user: (id: string) => office.vendorUser(id),
    remove: async (id: string) => (await office.call("deleteVendor", { params: { id } })).vendor,
  },
};

const accept = (token: string) => new Client(office.baseUrl).attempt("acceptInvite", { params: { token }, body: { password } });
const read = (token: string) => new Client(office.baseUrl).attempt("getInvite", { params: { token } });

describe.each(["owner", "vendor"] as const)("an invite to the %s portal", (kind) => {
  const portal = portals[kind];
  const createInvite = async () => {
    const email = anEmail();
    const subjectId = await portal.createSubject(email);
    const response = await portal.invite(subjectId);
    return { ...response, email, subjectId, token: response.invite.token! };
  };

  test("expires after seven days, and the response contains the link that was sent", async () => {
    const createdAfter = Date.now();
    const { invite, inviteLink, shortInviteLink, emailDelivery, smsDelivery, subjectId, email } = await createInvite();
    expect(invite).toMatchObject({ [`${kind}Id`]: subjectId, email, status: "pending", acceptedAt: null, revokedAt: null, createdByUserId: office.userId });
    expect(invite).not.toHaveProperty("leaseId");
    expect(invite.token!.slice(0, 2)).toBe(portal.tokenPrefix);
    expect(Date.parse(invite.expiresAt)).toBeGreaterThanOrEqual(createdAfter + SEVEN_DAYS_MS);
    expect(Date.parse(invite.expiresAt)).toBeLessThanOrEqual(Date.now() + SEVEN_DAYS_MS);
    expect(smsDelivery).toBeNull();
    const redirect = await new Client(office.baseUrl).raw("GET", new URL(shortInviteLink!).pathname);
    expect([redirect.status, redirect.headers.get("location")]).toEqual([302, inviteLink]);
    expect(["sent", "queued"]).toContain(emailDelivery!.status);
    const { messages } = await office.call("listDevOutbox", { query: { to: email } });
    expect(messages[0]!.links).toContain(inviteLink);
    expect(await portal.read(subjectId)).toMatchObject({ portalStatus: "invited", userId: null });
    expect(await findOutboxEvents(office, invite.id)).toMatchObject([{ type: "invite.created", data: { kind, subjectId } }]);
  });

  test("creates a user of the role linked to the subject, through the link in the dev outbox", async () => {
    const subjectId = await portal.createSubject(anEmail());
    const user = await portal.user(subjectId);
    const me = await user.call("getMe");
    expect(me.user).toMatchObject({ id: user.userId, role: kind, subjectId, email: user.email });
    const repeated = await new Client(office.baseUrl).call("login", { body: { email: user.email, password } });
    expect(repeated.user).toMatchObject({ id: user.userId, role: kind, subjectId });
    expect(await portal.read(subjectId)).toMatchObject({ portalStatus: "active", userId: user.userId });
    expect((await findOutboxEvents(office, subjectId)).map(({ type }) => type)).toEqual([`${kind}.created`, `${kind}.updated`]);
    expect((await portal.attempt(subjectId)).body.code).toBe("duplicate");
    expect((await user.attempt("listTenants")).body.code).toBe("role_forbidden");
  });

  test("can be accepted once", async () => {
    const { token, invite } = await createInvite();
    expect((await read(token)).body.invite).toMatchObject({ kind, status: "pending" });
    expect((await accept(token)).status).toBe(200);
    const repeated = await accept(token);
    expect([repeated.status, repeated.body.code]).toEqual([409, "invalid_transition"]);
    expect((await portal.revoke(invite.id)).body.code).toBe("invalid_transition");
  });

  test("is accepted by one of twenty concurrent calls", async () => {
    const { token } = await createInvite();
    const responses = await Promise.all(Array.from({ length: 20 }, () => accept(token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  test("is invalid after revocation, which succeeds once and only through the operation of its kind", async () => {
    const { token, invite, subjectId } = await createInvite();
    expect((await portal.revokeOther(invite.id)).status).toBe(404);
    expect((await portal.revoke(invite.id, otherOffice)).status).toBe(404);
    const { status, body } = await portal.revoke(invite.id);
    expect([status, body.invite]).toMatchObject([200, { id: invite.id, status: "revoked", revokedAt: expect.any(String) }]);
    expect((await portal.read(subjectId)).portalStatus).toBe("none");
    expect([(await read(token)).status, (await accept(token)).status]).toEqual([404, 404]);
    expect((await portal.revoke(invite.id)).body.code).toBe("invalid_transition");
  });

  test("revokes the previous invite; of many concurrent invites, one remains pending", async () => {
    const { token, invite, subjectId } = await createInvite();
    const { invite: second } = await portal.invite(subjectId);
    expect((await findOutboxEvents(office, invite.id)).map(({ type }) => type)).toEqual(["invite.created", "invite.revoked"]);
    expect([(await read(token)).status, (await read(second.token!)).status]).toEqual([404, 200]);
    await Promise.all(Array.from({ length: 8 }, () => portal.invite(subjectId)));
    expect(await queryRows(office.organizationId, "select id from invite where subject_id = $1 and status = 'pending'", [subjectId])).toHaveLength(1);
  });

  test("is not found with the token prefix of another kind", async () => {
    const { token } = await createInvite();
    for (const tokenPrefix of ["t.", "o.", "v."].filter((candidate) => candidate !== portal.tokenPrefix)) {
      await expect(client.findInvite(caller, { token: tokenPrefix + token.slice(2) })).rejects.toMatchObject({ status: 404 });
    }
    expect(await client.findInvite(caller, { token })).toMatchObject({ kind, status: "pending" });
  });

  test("cannot be stored for a subject of another kind", async () => {
    const { invite } = await createInvite();
    for (const other of ["tenant", "owner", "vendor"].filter((candidate) => candidate !== kind)) {
      const change = queryRows(office.organizationId, "update invite set kind = $2 where id = $1", [invite.id, other]);
      await expect(change).rejects.toMatchObject({ constraint: `invite_has_${other}` });
    }
    const change = queryRows(office.organizationId, "update invite set kind = 'nobody' where id = $1", [invite.id]);
    await expect(change).rejects.toMatchObject({ constraint: "invite_has_subject" });
  });

  test("is rejected for an unknown subject and for callers without permission", async () => {
    const subjectId = await portal.createSubject(anEmail());
    const path = `${kind}Id`;
    for (const id of [unknownId(), await portal.createSubject(anEmail(), otherOffice)]) {
      const { status, body } = await portal.attempt(id);
      expect([status, body.errors]).toMatchObject([400, [{ path, code: "not_found" }]]);
    }
    const [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
    expect((await portal.attempt(subjectId, {}, staff)).status).toBe(403);
    expect((await portal.attempt(subjectId, { channels: [] })).body.errors).toMatchObject([{ path: "channels", code: "too_short" }]);
    expect((await portal.attempt(subjectId, {}, manager)).status).toBe(200);
  });

  test("skips text messages to a person without consent", async () => {
    const subjectId = await portal.createSubject(anEmail());
    const { smsDelivery, emailDelivery } = await portal.invite(subjectId, { channels: ["sms"] });
    expect([smsDelivery, emailDelivery]).toMatchObject([{ status: "skipped", error: "no_consent" }, null]);
  });

  test("is revoked, and the portal status reset, when the invited or active portal user is deleted", async () => {
    const [invitedId, activeId] = await Promise.all([portal.createSubject(anEmail()), portal.createSubject(anEmail())]);
    const [{ invite }] = await Promise.all([portal.invite(invitedId), portal.user(activeId)]);
    const subjects = await Promise.all([portal.remove(invitedId), portal.remove(activeId)]);
    expect(subjects.map(({ portalStatus }) => portalStatus)).toEqual(["none", "none"]);
    expect((await findOutboxEvents(office, invite.id)).map(({ type }) => type)).toEqual(["invite.created", "invite.revoked"]);
    expect(await queryRows(office.organizationId, "select id from invite where subject_id = $1 and status = 'pending'", [invitedId])).toEqual([]);
  });

  test("stays pending for the person whose acceptance has created no user, until it expires", async () => {
    const [repeated, expired] = [await createInvite(), await createInvite()];
    for (const { token } of [repeated, expired]) await client.claimInvite(caller, { token });
    expect((await read(repeated.token)).body.invite.status).toBe("pending");
    expect((await new Client(office.baseUrl).raw("GET", new URL(repeated.shortInviteLink!).pathname)).status).toBe(302);
    expect((await accept(repeated.token)).status).toBe(200);
    expect((await read(repeated.token)).body.invite.status).toBe("accepted");
    await queryRows(
      office.organizationId,
      "update invite set expires_at = now() - interval '1 minute', accepted_at = now() - interval '3 minutes' where id = any($1)",
      [[repeated.invite.id, expired.invite.id]],
    );
    expect([(await read(expired.token)).status, (await accept(expired.token)).status]).toEqual([404, 404]);
    expect([(await read(repeated.token)).body.invite.status, (await accept(repeated.token)).body.code]).toEqual(["accepted", "invalid_transition"]);
  });

  test("can be created or sent again when its acceptance has created no user", async () => {
    const [created, resent] = [await createInvite(), await createInvite()];
    for (const { token } of [created, resent]) await client.claimInvite(caller, { token });
    expect([(await portal.attempt(created.subjectId)).body.code, (await portal.resend(resent.invite.id)).body.code]).toEqual([
      "duplicate",
      "invalid_transition",
    ]);
    await queryRows(office.organizationId, "update invite set accepted_at = now() - interval '3 minutes' where id = any($1)", [
      [created.invite.id, resent.invite.id],
    ]);
    const second = [(await portal.attempt(created.subjectId)).body, (await portal.resend(resent.invite.id)).body];
    expect(second.map(({ invite }) => invite.status)).toEqual(["pending", "pending"]);
    for (const { token } of [created, resent]) expect((await accept(token)).status).toBe(404);
    for (const { invite } of second) expect((await accept(invite.token!)).status).toBe(200);
    expect((await portal.read(created.subjectId)).portalStatus).toBe("active");
  });

  test("can be created before the deletion of the user has reached the subject", async () => {
    const subjectId = await portal.createSubject(anEmail());
    const { userId } = await portal.user(subjectId);
    await office.call("deleteUser", { params: { id: userId } });
    await eventually("subject without a user", async () => ((await portal.read(subjectId)).userId === null ? true : undefined));
    await queryRows(office.organizationId, `update ${kind} set user_id = $2, portal_status = 'active' where id = $1`, [subjectId, userId]);
    expect((await portal.attempt(subjectId)).status).toBe(200);
    expect(await portal.read(subjectId)).toMatchObject({ userId: null, portalStatus: "invited" });
  });

  test("shows the portal as locked while the user is deactivated", async () => {
    const subjectId = await portal.createSubject(anEmail());
    const { userId } = await portal.user(subjectId);
    const setActive = async (isActive: boolean) => {
      await office.call("updateUser", { params: { id: userId }, body: { isActive } });
      const portalStatus = isActive ? "active" : "locked";
      await eventually(portalStatus, async () => (await portal.read(subjectId)).portalStatus === portalStatus);
    };
    await setActive(false);
    await setActive(true);
    expect(await portal.read(subjectId)).toMatchObject({ userId });
  });

  test("can be created again after the user was deleted", async () => {
    const subjectId = await portal.createSubject(anEmail());
    const first = await portal.user(subjectId);
    await office.call("deleteUser", { params: { id: first.userId } });
    const unlinked = await eventually("subject without a user", async () => {
      const subject = await portal.read(subjectId);
      return subject.userId === null ? subject : undefined;
    });
    expect(unlinked.portalStatus).toBe("none");
    expect((await findOutboxEvents(office, subjectId)).map(({ type }) => type)).toEqual([`${kind}.created`, `${kind}.updated`, `${kind}.updated`]);
    const second = await portal.user(subjectId);
    expect(second.userId).not.toBe(first.userId);
    expect(await portal.read(subjectId)).toMatchObject({ portalStatus: "active", userId: second.userId });
  });
});

describe("createVendorInvite", () => {
  test("requires an e-mail address for any channel", async () => {
    const vendor = await aVendor(office);
    for (const requestedChannels of [["email"], ["sms"], ["email", "sms"]] as ("email" | "sms")[][]) {
      const { status, body } = await portals.vendor.attempt(vendor.id, { channels: requestedChannels, phone: "2175550100" });
      expect([status, body.errors]).toMatchObject([400, [{ path: "email", code: "required" }]]);
    }
    expect((await portals.vendor.attempt(vendor.id, { email: anEmail() })).status).toBe(200);
  });

  test("addresses the contact, if any", async () => {
    const vendor = await aVendor(office, { email: anEmail(), contactName: "Cora Contact" });
    const { invite } = await portals.vendor.invite(vendor.id);
    expect((await read(invite.token!)).body.invite.fullName).toBe("Cora Contact");
  });
});

describe("a deleted owner", () => {
  test("cannot be invited, and earlier invites are invalid", async () => {
    const id = await portals.owner.createSubject(anEmail());
    const { invite } = await portals.owner.invite(id);
    await office.call("deleteOwner", { params: { id } });
    expect((await portals.owner.attempt(id)).body.errors).toMatchObject([{ path: "ownerId", code: "not_found" }]);
    expect([(await read(invite.token!)).status, (await accept(invite.token!)).status]).toEqual([404, 404]);
    await expect(client.claimInvite(caller, { token: invite.token! })).rejects.toMatchObject({ status: 404 });
  });
});

describe("a tenant whose user was deleted", () => {
  test("loses the portal account; deleting another user changes nothing", async () => {
    const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
    const [user, colleague] = await Promise.all([office.tenantUser(tenant.id), office.colleague("staff")]);
    await office.call("deleteUser", { params: { id: colleague.userId } });
    await office.call("deleteUser", { params: { id: user.userId } });
    const unlinked = await eventually("tenant without a user", async () => {
      const current = (await office.call("getTenant", { params: { id: tenant.id } })).tenant;
      return current.userId === null ? current : undefined;
    });
    expect(unlinked.portalStatus).toBe("none");
  });
});
