import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { Client } from "../../../../../test/support/client.ts";
import { anEmail, anOffice, password, type Colleague, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { findPublishedEvents, readTableAsJson } from "../../../test/database.ts";
import { anInvitedUser } from "../../../test/invite.ts";

let office: Office;
let otherOffice: Office;
let manager: Colleague;
let staff: Colleague;
beforeAll(async () => {
  [office, otherOffice] = await Promise.all([anOffice(), anOffice()]);
  [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
});
const newUserBody = (changes: object = {}) => ({ email: anEmail(), fullName: "Nora New", role: "staff" as const, ...changes });

describe("createUser", () => {
  test("creates the user and e-mails the invite", async () => {
    const body = newUserBody({ email: `Nora.${anEmail()}`, phone: "212-555-0123" });
    const response = await office.call("createUser", { body });
    const email = body.email.toLowerCase();
    expect(response.user).toMatchObject({
      email,
      fullName: "Nora New",
      role: "staff",
      phone: "+12125550123",
      isActive: true,
      lastLoginAt: null,
      deletedAt: null,
    });
    expect(response.inviteLink).toMatch(new RegExp(`^${running().baseUrl}/invites/u\\.[\\w-]{86}$`));
    expect(response.emailDelivery).toMatchObject({ status: "sent", messageId: expect.any(String) });
    expect(response.smsDelivery).toBeNull();
    const { messages } = await new Client(running().baseUrl).call("listDevOutbox", { query: { to: email } });
    expect(messages).toHaveLength(1);
    expect(messages[0]!.links).toContain(response.inviteLink);
    expect((await findPublishedEvents(office.organizationId)).find(({ entityId }) => entityId === response.user.id)).toMatchObject({
      type: "user.created",
      data: { role: "staff" },
      actorUserId: office.userId,
    });
  });

  test("sends no text message before the user has consented", async () => {
    const response = await office.call("createUser", { body: newUserBody({ phone: "212-555-0123", channels: ["sms"] }) });
    expect(response.emailDelivery).toBeNull();
    expect(response.smsDelivery).toMatchObject({ status: "skipped", error: "no_consent" });
  });

  test("refuses an e-mail address already used in the organization, ignoring case", async () => {
    const { status, body } = await office.attempt("createUser", { body: newUserBody({ email: staff.email.toUpperCase() }) });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: "duplicate", errors: [{ path: "email", code: "unique" }] });
  });

  test("accepts an e-mail address used in another organization", async () => {
    expect((await office.attempt("createUser", { body: newUserBody({ email: otherOffice.email }) })).status).toBe(200);
  });

  test("creates one user for twenty concurrent requests with one e-mail address", async () => {
    const body = newUserBody();
    const responses = await Promise.all(Array.from({ length: 20 }, () => office.attempt("createUser", { body })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ body: { code } }) => code === "duplicate")).toHaveLength(19);
  });

  test("replays a request with the same Idempotency-Key without another e-mail", async () => {
    const body = newUserBody();
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await office.attempt("createUser", { body, headers });
    const replayed = await office.attempt("createUser", { body, headers });
    expect([first.status, replayed.status]).toEqual([200, 200]);
    expect(replayed.headers.get("idempotent-replayed")).toBe("true");
    expect(replayed.body.user).toEqual(first.body.user);
    expect(replayed.body.inviteLink).toBe(first.body.inviteLink);
    expect((await new Client(running().baseUrl).call("listDevOutbox", { query: { to: body.email } })).messages).toHaveLength(1);
    expect(await readTableAsJson(office.organizationId, "idempotency_key")).not.toContain(first.body.inviteLink.split("/").pop()!);
    const otherRequest = await office.attempt("createUser", { body: newUserBody(), headers });
    expect(otherRequest.body.code).toBe("idempotency_key_reused");
  });

  test.each([
    [{ email: "nobody" }, "email", "format"],
    [{ fullName: "" }, "fullName", "too_short"],
    [{ fullName: "x".repeat(161) }, "fullName", "too_long"],
    [{ role: "tenant" }, "role", "enum"],
    [{ phone: "555-0123" }, "phone", "format"],
    [{ channels: [] }, "channels", "too_short"],
    [{ channels: ["fax"] }, "channels.0", "enum"],
    [{ channels: ["sms"] }, "phone", "required"],
    [{ isActive: false }, "isActive", "unrecognized_key"],
    [{ organizationId: "x" }, "organizationId", "unrecognized_key"],
  ])("refuses %j, naming %s", async (wrong, path, code) => {
    const { status, body } = await office.attempt("createUser", { body: newUserBody(wrong) });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ path, code }]);
  });

  test("is limited to admins", async () => {
    for (const caller of [manager, staff]) {
      const { status, body } = await caller.attempt("createUser", { body: newUserBody() });
      expect([status, body.message]).toEqual([403, "Only admins can invite users."]);
    }
  });
});

describe("listUsers", () => {
  test("pages, filters, searches and sorts within the organization", async () => {
    const newOffice = await anOffice();
    for (const fullName of ["Zoe Zimmer", "Bob 100%", "Carl Cole"]) await newOffice.call("createUser", { body: newUserBody({ fullName, role: "manager" }) });
    const names = async (query: Record<string, string | number | boolean>) =>
      (await newOffice.call("listUsers", { query })).users.map(({ fullName }) => fullName);
    expect(await names({})).toEqual(["Ada Admin", "Bob 100%", "Carl Cole", "Zoe Zimmer"]);
    expect(await names({ sortDirection: "desc", pageSize: 2 })).toEqual(["Zoe Zimmer", "Carl Cole"]);
    expect(await names({ page: 2, pageSize: 3 })).toEqual(["Zoe Zimmer"]);
    expect(await names({ role: "admin" })).toEqual(["Ada Admin"]);
    expect(await names({ role: "admin,staff" })).toEqual(["Ada Admin"]);
    expect(await names({ role: "manager,staff" })).toEqual(["Bob 100%", "Carl Cole", "Zoe Zimmer"]);
    expect((await names({ sortBy: "lastLoginAt", sortDirection: "desc" }))[0]).toBe("Ada Admin");
    expect(await names({ search: "COLE" })).toEqual(["Carl Cole"]);
    expect(await names({ search: "100%" })).toEqual(["Bob 100%"]);
    expect(await names({ isActive: false })).toEqual([]);
    expect(await newOffice.call("listUsers", { query: { pageSize: 3 } })).toMatchObject({ page: 1, pageSize: 3, total: 4, totalPages: 2 });
  });

  test.each([
    ["createdAt", ["Carl", "Anna", "Bert"]],
    ["email", ["Anna", "Bert", "Carl"]],
    ["role", ["Bert", "Anna", "Carl"]],
    ["lastLoginAt", ["Bert", "Carl", "Anna"]],
  ])("sorts by %s", async (sortBy, sorted) => {
    const newOffice = await anOffice();
    const accept: Record<string, () => Promise<unknown>> = {};
    for (const [fullName, role] of [
      ["Carl", "staff"],
      ["Anna", "manager"],
      ["Bert", "admin"],
    ] as const) {
      const { inviteLink } = await newOffice.call("createUser", { body: newUserBody({ fullName, role, email: `${fullName}.${anEmail()}` }) });
      const params = { token: inviteLink.split("/").pop()! };
      accept[fullName] = () => new Client(running().baseUrl).call("acceptInvite", { params, body: { password } });
    }
    for (const fullName of ["Bert", "Carl", "Anna"]) await accept[fullName]!();
    const { users } = await newOffice.call("listUsers", { query: { sortBy, sortDirection: "asc" } });
    expect(users.map(({ fullName }) => fullName).filter((fullName) => fullName !== "Ada Admin")).toEqual(sorted);
  });

  test("includes deleted users on request", async () => {
    const newOffice = await anOffice();
    const { user } = await anInvitedUser(newOffice);
    const before = new Date().toISOString();
    await newOffice.call("deleteUser", { params: { id: user.id } });
    const ids = async (query: Record<string, string | boolean>) => (await newOffice.call("listUsers", { query })).users.map(({ id }) => id);
    expect(await ids({})).toEqual([newOffice.userId]);
    expect(await ids({ includeDeleted: true, updatedAfter: before })).toEqual([user.id]);
  });

  test("is limited to admins and managers", async () => {
    expect((await manager.attempt("listUsers")).status).toBe(200);
    expect((await staff.attempt("listUsers")).status).toBe(403);
  });
});

describe("getUser", () => {
  test("returns a user with the version as ETag", async () => {
    const { body, headers } = await manager.attempt("getUser", { params: { id: staff.userId } });
    expect(body.user.email).toBe(staff.email);
    expect(headers.get("etag")).toMatch(/^"\d+"$/);
  });
  test("responds 404 for another organization's user, an unknown id and a deleted user, and 400 for a malformed id", async () => {
    const { user } = await anInvitedUser(office);
    await office.call("deleteUser", { params: { id: user.id } });
    for (const id of [otherOffice.userId, randomUUID(), user.id]) expect((await office.attempt("getUser", { params: { id } })).status).toBe(404);
    expect((await office.attempt("getUser", { params: { id: "x" } })).status).toBe(400);
  });
});

describe("updateUser", () => {
  test("updates the sent fields and publishes an event only when a value changes", async () => {
    const { user } = await anInvitedUser(office);
    const params = { id: user.id };
    const { body } = await office.attempt("updateUser", { params, body: { fullName: "Ivy Other", phone: "2125550123", role: "manager" } });
    expect(body.user).toMatchObject({ fullName: "Ivy Other", phone: "+12125550123", role: "manager", isActive: true });
    expect((await office.call("updateUser", { params, body: { phone: null } })).user).toMatchObject({ phone: null, fullName: "Ivy Other" });
    await office.call("updateUser", { params, body: { fullName: "Ivy Other" } });
    const events = (await findPublishedEvents(office.organizationId)).filter(({ type, entityId }) => type === "user.updated" && entityId === user.id);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ data: { role: "manager", isActive: true } });
  });

  test("withdraws the SMS consent with a new phone number", async () => {
    const { token, user } = await anInvitedUser(office);
    await new Client(running().baseUrl).call("acceptInvite", { params: { token }, body: { password, phone: "2125550123", smsConsent: true } });
    const params = { id: user.id };
    expect((await office.call("updateUser", { params, body: { phone: "212-555-0123" } })).user.smsConsent.granted).toBe(true);
    expect((await office.call("updateUser", { params, body: { phone: "212-555-0199" } })).user.smsConsent).toEqual({ granted: false, at: null });
  });

  test.each([
    [{ fullName: "" }, "fullName", "too_short"],
    [{ phone: "555-0123" }, "phone", "format"],
    [{ role: "owner" }, "role", "enum"],
    [{ isActive: "no" }, "isActive", "type"],
    [{ email: "other@example.com" }, "email", "unrecognized_key"],
    [{ subjectId: "x" }, "subjectId", "unrecognized_key"],
  ])("refuses %j, naming %s", async (wrong, path, code) => {
    const { status, body } = await office.attempt("updateUser", { params: { id: staff.userId }, body: wrong as never });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ path, code }]);
  });

  test("refuses a version that is not the current one", async () => {
    const response = await office.attempt("updateUser", { params: { id: staff.userId }, body: { fullName: "Late" }, headers: { "If-Match": '"999"' } });
    expect([response.status, response.body.code]).toEqual([412, "version_conflict"]);
  });

  test("responds 404 to an update or deletion of another organization's user", async () => {
    expect((await office.attempt("updateUser", { params: { id: otherOffice.userId }, body: { role: "staff" } })).status).toBe(404);
    expect((await office.attempt("deleteUser", { params: { id: otherOffice.userId } })).status).toBe(404);
  });

  test("is limited to admins, and so is deleteUser", async () => {
    expect((await manager.attempt("updateUser", { params: { id: staff.userId }, body: { fullName: "Mine" } })).status).toBe(403);
    expect((await manager.attempt("deleteUser", { params: { id: staff.userId } })).status).toBe(403);
  });
});

describe("the last active admin", () => {
  test("cannot be demoted, deactivated or deleted", async () => {
    const newOffice = await anOffice();
    // An admin who has not accepted the invite cannot sign in and does not count.
    await anInvitedUser(newOffice, "admin");
    const params = { id: newOffice.userId };
    const responses = [
      await newOffice.attempt("updateUser", { params, body: { role: "staff" } }),
      await newOffice.attempt("updateUser", { params, body: { isActive: false } }),
      await newOffice.attempt("deleteUser", { params }),
    ];
    for (const { status, body } of responses) expect([status, body.code]).toEqual([409, "last_admin"]);
    expect((await newOffice.call("updateUser", { params, body: { fullName: "Still Ada", role: "admin" } })).user.fullName).toBe("Still Ada");
  });

  test("can be demoted after another admin has accepted the invite", async () => {
    const newOffice = await anOffice();
    await newOffice.colleague("admin");
    expect((await newOffice.call("updateUser", { params: { id: newOffice.userId }, body: { role: "staff" } })).user.role).toBe("staff");
  });

  test("remains when all admins remove each other at the same moment, and who was removed removes nobody", async () => {
    for (let round = 0; round < 3; round++) {
      const newOffice = await anOffice();
      const admins = [newOffice, ...(await Promise.all(Array.from({ length: 4 }, () => newOffice.colleague("admin"))))];
      const responses = await Promise.all(
        admins.map((admin, index) => {
          const params = { id: admins[(index + 1) % admins.length]!.userId };
          if (index % 3 === 0) return admin.attempt("updateUser", { params, body: { role: "manager" } });
          if (index % 3 === 1) return admin.attempt("updateUser", { params, body: { isActive: false } });
          return admin.attempt("deleteUser", { params });
        }),
      );
      const statuses = responses.map(({ status }) => status);
      expect(statuses.filter((status) => status !== 200 && status !== 401)).toEqual([]);
      const survivors = await Promise.all(admins.map(async (admin) => (await admin.attempt("getMe")).status === 200));
      expect(survivors.filter(Boolean)).toHaveLength(statuses.filter((status) => status === 401).length);
      expect(survivors.some(Boolean)).toBe(true);
    }
  });
});

describe("deleteUser", () => {
  test("returns the deleted user, and 404 the second time", async () => {
    const { user } = await anInvitedUser(office);
    const params = { id: user.id };
    const response = await office.call("deleteUser", { params });
    expect(response.user).toMatchObject({ id: user.id, isActive: false, deletedAt: expect.any(String) });
    expect((await office.attempt("deleteUser", { params })).status).toBe(404);
    expect((await office.attempt("updateUser", { params, body: { isActive: true } })).status).toBe(404);
    expect((await findPublishedEvents(office.organizationId)).at(-1)).toMatchObject({ type: "user.deleted", entityId: user.id, data: { role: "staff" } });
  });

  test("frees the e-mail address for another user", async () => {
    const colleague = await office.colleague("staff");
    await office.call("deleteUser", { params: { id: colleague.userId } });
    const { user, inviteLink } = await office.call("createUser", { body: newUserBody({ email: colleague.email }) });
    expect(user.id).not.toBe(colleague.userId);
    const anonymousClient = new Client(running().baseUrl);
    await anonymousClient.call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password: "a new password" } });
    expect((await anonymousClient.call("login", { body: { email: colleague.email, password: "a new password" } })).user.id).toBe(user.id);
    expect((await anonymousClient.attempt("login", { body: { email: colleague.email, password } })).status).toBe(401);
  });
});
