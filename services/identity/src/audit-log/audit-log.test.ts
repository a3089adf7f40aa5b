import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client as Postgres } from "pg";
import { Client } from "../../../../test/support/client.ts";
import { anOffice, password, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { eventually } from "../../../../test/support/world.ts";
import { addEntries, runScheduledJobs, storedIn } from "../../test/database.ts";
import { anInvitedUser } from "../../test/invite.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
type Query = Record<string, string | number>;
const entries = async (query: Query = {}, reader: Office = office) =>
  (await reader.call("listAuditEntries", { query: { pageSize: 100, ...query } })).auditEntries;
const actionsOn = async (entityId: string) => (await entries({ entityId, sortDirection: "asc" })).map(({ action }) => action);

describe("the audit log", () => {
  test("starts with the sign-up", async () => {
    const own = await anOffice();
    const all = await entries({}, own);
    expect(all.map(({ action }) => action).toSorted()).toEqual(["organization.created", "session.started", "user.created"]);
    expect(all.find(({ action }) => action === "user.created")).toMatchObject({
      entityType: "user",
      entityId: own.userId,
      actorUserId: own.userId,
      before: null,
      after: { email: own.email, role: "admin" },
      ip: "127.0.0.1",
      requestId: expect.any(String),
    });
  });

  test("records the actor and the values before and after of a user change", async () => {
    const { user } = await anInvitedUser(office);
    const params = { id: user.id };
    const requestId = crypto.randomUUID();
    await office.attempt("updateUser", { params, body: { fullName: "Ivy Other", phone: "2125550123" }, headers: { "X-Request-Id": requestId } });
    await office.call("updateUser", { params, body: { fullName: "Ivy Other" } });
    await office.call("deleteUser", { params });
    expect(await actionsOn(user.id)).toEqual(["user.created", "user.updated", "user.deleted"]);
    const [updated] = await entries({ entityId: user.id, action: "user.updated" });
    expect(updated).toMatchObject({ actorUserId: office.userId, requestId, ip: "127.0.0.1" });
    expect([updated!.before, updated!.after]).toEqual([
      { fullName: "Ivy Invited", phone: null },
      { fullName: "Ivy Other", phone: "+12125550123" },
    ]);
    const [deleted] = await entries({ entityId: user.id, action: "user.deleted" });
    expect(deleted).toMatchObject({ before: { isActive: true, deletedAt: null }, after: { isActive: false, deletedAt: expect.any(String) } });
  });

  test("records policies before and after", async () => {
    await office.call("updateOrganization", { body: { city: "Troy", policies: { nsfFeeCents: 3_500 } } });
    const [entry] = await entries({ entityType: "organization", action: "organization.updated" });
    expect(entry).toMatchObject({ before: { city: null, policies: { nsfFeeCents: 0 } }, after: { city: "Troy", policies: { nsfFeeCents: 3_500 } } });
    expect(Object.keys(entry!.after!).toSorted()).toEqual(["city", "policies"]);
  });

  test("records consents, sessions, invites and passwords without secrets", async () => {
    const { token, user, email, inviteLink } = await anInvitedUser(office);
    const { inviteLink: again } = await office.call("resendUserInvite", { params: { id: user.id } });
    const client = new Client(running().baseUrl);
    const accepted = await client.call("acceptInvite", {
      params: { token: again.split("/").pop()! },
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
    await client.call("confirmPasswordReset", { body: { token: resetToken, newPassword: "the third of them" } });
    expect(await actionsOn(user.id)).toEqual(["user.created", "user.consent_changed", "user.password_changed", "user.password_reset"]);
    const own = await entries({ actorUserId: user.id });
    expect(own.map(({ action }) => action)).toEqual(expect.arrayContaining(["invite.accepted", "session.started"]));
    expect((await entries({ action: "invite.created" })).filter(({ after }) => after?.["userId"] === user.id)).toHaveLength(2);
    const stored = await storedIn(office.organizationId, "audit_entry");
    for (const secret of [
      password,
      "another good one",
      "the third of them",
      token,
      again.split("/").pop()!,
      inviteLink,
      resetToken,
      accepted.accessToken,
      "argon2",
    ])
      expect(stored).not.toContain(secret);
  });

  test("records nothing for refused requests", async () => {
    const before = (await entries()).length;
    await office.attempt("updateUser", { params: { id: office.userId }, body: { role: "staff" } });
    await office.attempt("updateOrganization", { body: { name: "Late" }, headers: { "If-Match": '"999"' } });
    expect(await entries()).toHaveLength(before);
  });

  test("filters by inclusive days in the organization's time zone, pages and exports CSV", async () => {
    const own = await anOffice();
    const today = new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" }).format(new Date());
    const dayAfter = (days: number) => new Date(Date.parse(`${today}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
    const count = async (query: Query) => (await entries(query, own)).length;
    expect([
      await count({ occurredAfter: today, occurredBefore: today }),
      await count({ occurredAfter: dayAfter(1) }),
      await count({ occurredBefore: dayAfter(-1) }),
    ]).toEqual([3, 0, 0]);
    expect(await own.call("listAuditEntries", { query: { page: 2, pageSize: 2 } })).toMatchObject({ total: 3, totalPages: 2, auditEntries: [{}] });
    const csv = await (await own.raw("GET", "/api/accounts/current/audit-log", undefined, { Accept: "text/csv" })).text();
    expect(csv.trim().split("\n")).toHaveLength(4);
  });

  test("is limited to admins and their organization", async () => {
    const manager = await office.colleague("manager");
    expect((await manager.attempt("listAuditEntries")).body.message).toBe("Only admins can read the audit log.");
    const other = await anOffice();
    expect(await entries({ entityId: office.userId }, other)).toEqual([]);
  });

  test("cannot be updated or deleted by the service's database role", async () => {
    const service = new Postgres({ connectionString: running().databaseUrls.identity.service });
    await service.connect();
    await service.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
    for (const table of ["audit_entry", "consent_record"])
      for (const statement of [`update ${table} set ip = null`, `delete from ${table}`, `truncate ${table}`])
        await expect(service.query(statement)).rejects.toMatchObject({ code: "42501" });
    await service.end();
  });
});

describe("the audit log of other services' events", () => {
  test("records users' actions once, and no actions of services", async () => {
    const requestId = crypto.randomUUID();
    const { body } = await office.attempt("createVendor", { body: { name: "Vera Vendor" }, headers: { "X-Request-Id": requestId } });
    const { id } = body.vendor;
    await office.call("updateVendor", { params: { id }, body: { trade: "Plumbing" } });
    const vendorEntries = await eventually("entries", async () => {
      const rows = await entries({ entityId: id, sortDirection: "asc" });
      return rows.length >= 2 ? rows : undefined;
    });
    expect(vendorEntries.map(({ action }) => action)).toEqual(["vendor.created", "vendor.updated"]);
    expect(vendorEntries[0]).toMatchObject({ actorUserId: office.userId, entityType: "vendor", requestId, before: null, after: null, ip: null });
    expect(await entries({ action: "inspection_template.created" })).toEqual([]);
  });
});

describe("deleteOldAuditEntries", () => {
  test("deletes entries older than the retention period only", async () => {
    const own = await anOffice();
    const oldest = crypto.randomUUID();
    const recent = crypto.randomUUID();
    await addEntries(own.organizationId, { [oldest]: 2_558, [recent]: 2_555 });
    await runScheduledJobs(own.organizationId);
    await eventually("deletion of the entry", async () => ((await entries({ entityId: oldest }, own)).length === 0 ? true : undefined));
    expect(await entries({ entityId: recent }, own)).toHaveLength(1);
  });

  test("cannot delete entries of the last year", async () => {
    const service = new Postgres({ connectionString: running().databaseUrls.identity.service });
    await service.connect();
    await service.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
    await expect(service.query("select forget_audit_entries(364, 10)")).rejects.toMatchObject({ code: "42501" });
    await service.end();
  });
});
