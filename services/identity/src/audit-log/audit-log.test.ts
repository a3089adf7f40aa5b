import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client as Postgres } from "pg";
import { Client } from "../../../../test/support/client.ts";
import { anOffice, password, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { findPublishedEvents, insertAuditEntries, makeJobsDue, readTableAsJson } from "../../test/database.ts";
import { anInvitedUser } from "../../test/invite.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
/** Default of `AUDIT_LOG_DAYS`: seven years. */
const RETENTION_DAYS = 2_557;
type Query = Record<string, string | number>;
const listEntries = async (query: Query = {}, caller: Office = office) =>
  (await caller.call("listAuditEntries", { query: { pageSize: 100, ...query } })).auditEntries;
const listActions = async (entityId: string) => (await listEntries({ entityId, sortDirection: "asc" })).map(({ action }) => action);

/** Runs a function with a connection of the service's database role in the scope of the office's organization. */
async function asService(run: (connection: Postgres) => Promise<void>): Promise<void> {
  const connection = new Postgres({ connectionString: running().databaseUrls.identity.service });
  await connection.connect();
  try {
    await connection.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
    await run(connection);
  } finally {
    await connection.end();
  }
}

describe("the audit log", () => {
  test("starts with the sign-up", async () => {
    const newOffice = await anOffice();
    const signUpEntries = await listEntries({}, newOffice);
    expect(signUpEntries.map(({ action }) => action).toSorted()).toEqual(["organization.created", "session.started", "user.created"]);
    expect(signUpEntries.find(({ action }) => action === "user.created")).toMatchObject({
      entityType: "user",
      entityId: newOffice.userId,
      actorUserId: newOffice.userId,
      before: null,
      after: { email: newOffice.email, role: "admin" },
      ip: "127.0.0.1",
      requestId: expect.any(String),
    });
  });

  test("records the actor, the old and the new values of changes to a user, and no update without a change", async () => {
    const { user } = await anInvitedUser(office);
    const params = { id: user.id };
    const requestId = crypto.randomUUID();
    await office.attempt("updateUser", { params, body: { fullName: "Ivy Other", phone: "2125550123" }, headers: { "X-Request-Id": requestId } });
    await office.call("updateUser", { params, body: { fullName: "Ivy Other" } });
    await office.call("deleteUser", { params });
    expect(await listActions(user.id)).toEqual(["user.created", "user.updated", "user.deleted"]);
    const [updated] = await listEntries({ entityId: user.id, action: "user.updated" });
    expect(updated).toMatchObject({ actorUserId: office.userId, requestId, ip: "127.0.0.1" });
    expect([updated!.before, updated!.after]).toEqual([
      { fullName: "Ivy Invited", phone: null },
      { fullName: "Ivy Other", phone: "+12125550123" },
    ]);
    const [deleted] = await listEntries({ entityId: user.id, action: "user.deleted" });
    expect(deleted).toMatchObject({ before: { isActive: true, deletedAt: null }, after: { isActive: false, deletedAt: expect.any(String) } });
  });

  test("records the old and the new policies", async () => {
    const newOffice = await anOffice();
    await newOffice.call("updateOrganization", { body: { city: "Troy", policies: { nsfFeeCents: 3_500 } } });
    const [entry] = await listEntries({ entityType: "organization", action: "organization.updated" }, newOffice);
    expect(entry).toMatchObject({ before: { city: null, policies: { nsfFeeCents: 0 } }, after: { city: "Troy", policies: { nsfFeeCents: 3_500 } } });
    expect(Object.keys(entry!.after!).toSorted()).toEqual(["city", "policies"]);
  });

  test("records consents, sessions, invites and passwords without secrets", async () => {
    const { token, user, email, inviteLink } = await anInvitedUser(office);
    const { inviteLink: resentInviteLink } = await office.call("resendUserInvite", { params: { id: user.id } });
    const client = new Client(running().baseUrl);
    const accepted = await client.call("acceptInvite", {
      params: { token: resentInviteLink.split("/").pop()! },
      body: { password, phone: "2125550123", smsConsent: true },
    });
    client.token = accepted.accessToken;
    await client.call("changeMyConsent", { body: { smsConsent: false } });
    await client.call("changeMyPassword", { body: { currentPassword: password, newPassword: "another good one" } });
    await client.call("requestPasswordReset", { body: { email } });
    const resetToken = await eventually("reset link", async () => {
      const { messages } = await client.call("listDevOutbox", { query: { to: email } });
      return messages
        .flatMap(({ links }) => links)
        .find((link) => link.includes("/password-reset/"))
        ?.split("/")
        .pop();
    });
    await client.call("confirmPasswordReset", { body: { token: resetToken, newPassword: "a third good one" } });
    expect(await listActions(user.id)).toEqual(["user.created", "user.consent_changed", "user.password_changed", "user.password_reset"]);
    const ownEntries = await listEntries({ actorUserId: user.id });
    expect(ownEntries.map(({ action }) => action)).toEqual(expect.arrayContaining(["invite.accepted", "session.started"]));
    expect((await listEntries({ action: "invite.created" })).filter(({ after }) => after?.["userId"] === user.id)).toHaveLength(2);
    expect((await listEntries({ action: "invite.revoked" })).filter(({ after }) => after?.["userId"] === user.id)).toHaveLength(1);
    const revoked = (await findPublishedEvents(office.organizationId)).filter(({ type, data }) => type === "invite.revoked" && data["userId"] === user.id);
    expect(revoked).toMatchObject([{ data: { kind: "user", subjectId: null } }]);
    const stored = await readTableAsJson(office.organizationId, "audit_entry");
    expect(stored).toContain(user.id);
    for (const secret of [
      password,
      "another good one",
      "a third good one",
      token,
      resentInviteLink.split("/").pop()!,
      inviteLink,
      resetToken,
      accepted.accessToken,
      "argon2",
    ])
      expect(stored).not.toContain(secret);
  });

  test("records nothing for refused requests", async () => {
    const newOffice = await anOffice();
    const before = await listEntries({}, newOffice);
    const demotion = await newOffice.attempt("updateUser", { params: { id: newOffice.userId }, body: { role: "staff" } });
    const outdated = await newOffice.attempt("updateOrganization", { body: { name: "Late" }, headers: { "If-Match": '"999"' } });
    expect([demotion.status, outdated.status]).toEqual([409, 412]);
    expect(await listEntries({}, newOffice)).toEqual(before);
  });

  test("filters by inclusive days in the organization's time zone", async () => {
    const newOffice = await anOffice();
    const entityId = crypto.randomUUID();
    // 22:30 on February 28 in New York.
    await insertAuditEntries(newOffice.organizationId, { [entityId]: new Date("2026-03-01T03:30:00Z") });
    const isListed = async (query: Query) => (await listEntries({ entityId, ...query }, newOffice)).length === 1;
    expect(await isListed({ occurredAfter: "2026-02-28", occurredBefore: "2026-02-28" })).toBe(true);
    expect(await isListed({ occurredAfter: "2026-03-01" })).toBe(false);
    expect(await isListed({ occurredBefore: "2026-02-27" })).toBe(false);
  });

  test("returns pages and exports CSV", async () => {
    const newOffice = await anOffice();
    expect(await newOffice.call("listAuditEntries", { query: { page: 2, pageSize: 2 } })).toMatchObject({ total: 3, totalPages: 2, auditEntries: [{}] });
    const csv = await (await newOffice.raw("GET", "/api/accounts/current/audit-log", undefined, { Accept: "text/csv" })).text();
    expect(csv.trim().split("\n")).toHaveLength(4);
  });

  test("is limited to admins and their organization", async () => {
    for (const role of ["manager", "staff"] as const) {
      const { status, body } = await (await office.colleague(role)).attempt("listAuditEntries");
      expect([status, body.message]).toEqual([403, "Only admins can read the audit log."]);
    }
    expect(await listEntries({ entityId: office.userId })).not.toEqual([]);
    expect(await listEntries({ entityId: office.userId }, await anOffice())).toEqual([]);
  });

  test("cannot be updated or deleted by the service's database role, and neither can the consent records", () =>
    asService(async (connection) => {
      for (const table of ["audit_entry", "consent_record"])
        for (const statement of [`update ${table} set ip = null`, `delete from ${table}`, `truncate ${table}`])
          await expect(connection.query(statement)).rejects.toMatchObject({ code: "42501" });
    }));
});

describe("the audit log of other services' events", () => {
  test("records users' actions, and no actions of services", async () => {
    const requestId = crypto.randomUUID();
    const { body } = await office.attempt("createVendor", { body: { name: "Vera Vendor" }, headers: { "X-Request-Id": requestId } });
    const { id } = body.vendor;
    await office.call("updateVendor", { params: { id }, body: { trade: "Plumbing" } });
    const vendorEntries = await eventually("two entries of the vendor", async () => {
      const entries = await listEntries({ entityId: id, sortDirection: "asc" });
      return entries.length >= 2 ? entries : undefined;
    });
    expect(vendorEntries.map(({ action }) => action)).toEqual(["vendor.created", "vendor.updated"]);
    expect(vendorEntries[0]).toMatchObject({ actorUserId: office.userId, entityType: "vendor", requestId, before: null, after: null, ip: "127.0.0.1" });
    // Portfolio adds the starter template of a new organization itself, so its event has no actor.
    expect(await listEntries({ action: "inspection_template.created" })).toEqual([]);
  });
});

describe("deleteOldAuditEntries", () => {
  test("deletes entries older than the retention period only", async () => {
    const newOffice = await anOffice();
    const [expired, retained] = [crypto.randomUUID(), crypto.randomUUID()];
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    await insertAuditEntries(newOffice.organizationId, { [expired]: daysAgo(RETENTION_DAYS + 1), [retained]: daysAgo(RETENTION_DAYS - 1) });
    await makeJobsDue(newOffice.organizationId);
    await eventually("deletion of the expired entry", async () => (await listEntries({ entityId: expired }, newOffice)).length === 0);
    expect(await listEntries({ entityId: retained }, newOffice)).toHaveLength(1);
  });

  test("cannot delete entries of the last year", () =>
    asService(async (connection) => {
      expect((await connection.query("select forget_audit_entries(365, 10) as deleted")).rows).toEqual([{ deleted: 0 }]);
      await expect(connection.query("select forget_audit_entries(364, 10)")).rejects.toMatchObject({ code: "42501" });
    }));
});
