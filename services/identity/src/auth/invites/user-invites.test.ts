import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anOffice, password, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { findPublishedEvents, expireInvites, readTableAsJson } from "../../../test/database.ts";
import { anInvitedUser } from "../../../test/invite.ts";

const anonymousClient = () => new Client(running().baseUrl);
const read = (token: string) => anonymousClient().attempt("getInvite", { params: { token } });
const accept = (token: string, body: object = {}) => anonymousClient().attempt("acceptInvite", { params: { token }, body: { password, ...body } });
let office: Office;
beforeAll(async () => {
  office = await anOffice();
});

describe("getInvite", () => {
  test("returns the invited person, the organization and the status", async () => {
    const { token, email } = await anInvitedUser(office);
    const { body } = await read(token);
    expect(body.invite).toMatchObject({ kind: "user", email, fullName: "Ivy Invited", organizationName: "Elm Street Management", status: "pending" });
    const days = (Date.parse(body.invite.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThanOrEqual(7);
    await accept(token);
    expect((await read(token)).body.invite.status).toBe("accepted");
  });

  test.each(["nothing", "u.nothing", `u.${"A".repeat(86)}`, `q.${"A".repeat(86)}`, "x".repeat(400)])("responds 404 to %s", async (token) => {
    expect((await read(token)).status).toBe(404);
    expect((await accept(token)).status).toBe(404);
  });

  test("refuses a token beyond 400 characters", async () => expect((await read("x".repeat(401))).status).toBe(400));

  test("responds 404 to a token with one character changed", async () => {
    const { token } = await anInvitedUser(office);
    const forged = `${token.slice(0, -2)}${token.at(-2) === "A" ? "B" : "A"}${token.at(-1)}`;
    expect((await read(forged)).status).toBe(404);
  });
});

describe("acceptInvite", () => {
  test("sets the user's password, confirms the address and signs the user in", async () => {
    const { token, user, email } = await anInvitedUser(office, "manager");
    const { status, body, headers } = await accept(token, { fullName: "Ivy Manager", phone: "212-555-0123", smsConsent: true });
    expect(status).toBe(200);
    expect(headers.getSetCookie()[0]).toMatch(/^service_refresh_token=/);
    expect(body.user).toMatchObject({
      id: user.id,
      fullName: "Ivy Manager",
      phone: "+12125550123",
      role: "manager",
      smsConsent: { granted: true, at: expect.any(String) },
      emailConfirmedAt: expect.any(String),
    });
    expect((await anonymousClient().attempt("login", { body: { email, password } })).status).toBe(200);
    const events = await findPublishedEvents(office.organizationId);
    expect(events.find(({ type, data }) => type === "invite.accepted" && data["userId"] === user.id)).toMatchObject({
      data: { kind: "user", subjectId: null, userId: user.id },
      actorUserId: user.id,
    });
  });

  test("accepts an invite once", async () => {
    const { token } = await anInvitedUser(office);
    expect((await accept(token)).status).toBe(200);
    const second = await accept(token, { password: "somebody else's" });
    expect(second.status).toBe(409);
    expect(second.body.code).toBe("invalid_transition");
  });

  test("accepts an invite once among twenty concurrent requests", async () => {
    const { token } = await anInvitedUser(office);
    const responses = await Promise.all(Array.from({ length: 20 }, () => accept(token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.code === "invalid_transition")).toHaveLength(19);
  });

  test.each([
    [{ password: "short" }, "password"],
    [{ phone: "555-0123" }, "phone"],
    [{ fullName: "" }, "fullName"],
    [{ role: "admin" }, "role"],
  ])("refuses %j, naming %s, and accepts a second attempt", async (wrong, path) => {
    const { token } = await anInvitedUser(office);
    const refused = await accept(token, wrong);
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toMatchObject([{ path }]);
    expect((await accept(token)).status).toBe(200);
  });

  test("responds 404 for a deactivated or deleted user", async () => {
    const [deactivated, deleted] = [await anInvitedUser(office), await anInvitedUser(office)];
    await office.call("updateUser", { params: { id: deactivated.user.id }, body: { isActive: false } });
    await office.call("deleteUser", { params: { id: deleted.user.id } });
    for (const { token } of [deactivated, deleted]) expect([(await read(token)).status, (await accept(token)).status]).toEqual([404, 404]);
  });

  test("responds 404 after the expiry", async () => {
    const other = await anOffice();
    const { token } = await anInvitedUser(other);
    await expireInvites(other.organizationId);
    expect([(await read(token)).status, (await accept(token)).status]).toEqual([404, 404]);
  });

  test("stores no token in the database", async () => {
    const { token } = await anInvitedUser(office);
    const mac = token.slice(-40);
    for (const table of ["user_invite", "app_user", "outbox"]) expect(await readTableAsJson(office.organizationId, table)).not.toContain(mac);
  });
});
