import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { anOffice, password, type Colleague, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { findPublishedEvents, rowsIn } from "../../test/database.ts";

let office: Office;
let manager: Colleague;
beforeAll(async () => {
  office = await anOffice();
  manager = await office.colleague("manager");
});
const consentsOf = async (who: Colleague) =>
  (await rowsIn(who.organizationId, "consent_record")).filter(({ user_id }) => user_id === who.userId).map(({ channel, is_granted }) => [channel, is_granted]);

describe("updateMe", () => {
  test("changes what was sent, for the asker alone, and announces it", async () => {
    const { user } = await manager.call("updateMe", { body: { fullName: "  Mia Manager ", locale: "es-MX" } });
    expect(user).toMatchObject({ id: manager.userId, fullName: "Mia Manager", locale: "es-MX", role: "manager" });
    expect((await manager.call("updateMe", { body: { locale: "en-US" } })).user).toMatchObject({ fullName: "Mia Manager", locale: "en-US" });
    expect((await office.call("getMe")).user.fullName).toBe("Ada Admin");
    const events = (await findPublishedEvents(office.organizationId)).filter(({ type, entityId }) => type === "user.updated" && entityId === manager.userId);
    expect(events).toHaveLength(2);
  });
  test("with nothing to change changes nothing", async () => {
    const before = await manager.attempt("updateMe", { body: {} });
    const again = await manager.attempt("updateMe", { body: { fullName: before.body.user.fullName } });
    expect(again.headers.get("etag")).toBe(before.headers.get("etag"));
  });
  test("refuses a version that is not the current one", async () => {
    expect((await manager.attempt("updateMe", { body: { fullName: "Late" }, headers: { "If-Match": '"999"' } })).body.code).toBe("version_conflict");
  });
  test.each([
    [{ fullName: "" }, "fullName", "too_short"],
    [{ fullName: "x".repeat(161) }, "fullName", "too_long"],
    [{ fullName: null }, "fullName", "type"],
    [{ locale: "not a locale" }, "locale", "format"],
    [{ role: "admin" }, "role", "unrecognized_key"],
    [{ email: "other@example.com" }, "email", "unrecognized_key"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    const answer = await manager.attempt("updateMe", { body: body as never });
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("changeMyPhone", () => {
  test.each([
    ["(212) 555-0123", "+12125550123"],
    ["2125550124", "+12125550124"],
    ["+44 20 7946 0958", "+442079460958"],
  ])("keeps %s as %s", async (phone, kept) => {
    expect((await manager.call("changeMyPhone", { body: { phone } })).user.phone).toBe(kept);
  });
  test("ends the consent that the number before it had, and keeps the proof", async () => {
    const staff = await office.colleague("staff");
    await staff.call("changeMyPhone", { body: { phone: "2125550130" } });
    expect((await staff.call("changeMyConsent", { body: { smsConsent: true } })).user.smsConsent.granted).toBe(true);
    expect((await staff.call("changeMyPhone", { body: { phone: "212-555-0130" } })).user.smsConsent.granted).toBe(true);
    expect((await staff.call("changeMyPhone", { body: { phone: "2125550131" } })).user.smsConsent).toEqual({ granted: false, at: null });
    expect(await consentsOf(staff)).toEqual([
      ["sms", true],
      ["sms", false],
    ]);
  });
  test.each([
    [{}, "phone", "required"],
    [{ phone: "555-0123" }, "phone", "format"],
    [{ phone: "123456" }, "phone", "too_short"],
    [{ phone: "1".repeat(33) }, "phone", "too_long"],
    [{ phone: null }, "phone", "type"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    const answer = await manager.attempt("changeMyPhone", { body: body as never });
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("changeMyConsent", () => {
  test("says since when each stands, and records who was asked where from which address", async () => {
    const staff = await office.colleague("staff");
    const before = Date.now();
    const { user } = await staff.call("changeMyConsent", { body: { smsConsent: true, emailConsent: true, source: "welcome page" } });
    expect(user).toMatchObject({ smsConsent: { granted: true }, emailConsent: { granted: true } });
    expect(Date.parse(user.smsConsent.at!)).toBeGreaterThanOrEqual(before - 1_000);
    const taken = await staff.call("changeMyConsent", { body: { smsConsent: false } });
    expect(taken.user).toMatchObject({ smsConsent: { granted: false, at: expect.any(String) }, emailConsent: user.emailConsent });
    const rows = (await rowsIn(office.organizationId, "consent_record")).filter(({ user_id }) => user_id === staff.userId);
    expect(
      rows.toSorted(
        (one, other) => String(one["source"]).localeCompare(String(other["source"])) || String(other["channel"]).localeCompare(String(one["channel"])),
      ),
    ).toMatchObject([
      { channel: "sms", is_granted: false, source: "account", ip: "127.0.0.1" },
      { channel: "sms", is_granted: true, source: "welcome page", ip: "127.0.0.1" },
      { channel: "email", is_granted: true, source: "welcome page", ip: "127.0.0.1" },
    ]);
  });
  test("of twenty at once each leaves its record", async () => {
    const staff = await office.colleague("staff");
    await Promise.all(Array.from({ length: 20 }, (_, index) => staff.call("changeMyConsent", { body: { emailConsent: index % 2 === 0 } })));
    const records = await consentsOf(staff);
    expect([records.length, records.filter(([, isGranted]) => isGranted).length]).toEqual([20, 10]);
  });
  test.each([
    [{ smsConsent: "yes" }, "smsConsent", "type"],
    [{ emailConsent: null }, "emailConsent", "type"],
    [{ smsConsent: true, source: "" }, "source", "too_short"],
    [{ smsConsent: true, source: "x".repeat(81) }, "source", "too_long"],
    [{ at: "2026-01-01T00:00:00Z" }, "at", "unrecognized_key"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    const answer = await manager.attempt("changeMyConsent", { body: body as never });
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("changeMyPassword", () => {
  const signIn = async (email: string, secret: string) => {
    const client = new Client(running().baseUrl);
    const { status, body } = await client.attempt("login", { body: { email, password: secret } });
    client.token = body.accessToken;
    return { client, status };
  };
  const refreshes = async (client: Client) => (await client.attempt("refreshToken", { body: { grantType: "refresh_token" } })).status === 200;
  const change = (who: Client, currentPassword: string, newPassword: string) => who.attempt("changeMyPassword", { body: { currentPassword, newPassword } });

  test("lets in the new password alone, and ends every other session", async () => {
    const staff = await office.colleague("staff");
    const [here, there] = [await signIn(staff.email, password), await signIn(staff.email, password)];
    const { status, text } = await change(here.client, password, "another good one");
    expect([status, text.includes("another good one")]).toEqual([200, false]);
    expect([(await signIn(staff.email, password)).status, (await signIn(staff.email, "another good one")).status]).toEqual([401, 200]);
    expect([await refreshes(here.client), await refreshes(there.client), await refreshes(staff)]).toEqual([true, false, false]);
  });
  test("refuses a wrong current password and changes nothing", async () => {
    const staff = await office.colleague("staff");
    const { status, body } = await change(staff, "not the password", "another good one");
    expect([status, body.errors]).toMatchObject([400, [{ path: "currentPassword", code: "mismatch" }]]);
    expect((await signIn(staff.email, password)).status).toBe(200);
  });
  test("of two who prove the old password together one is too late", async () => {
    const staff = await office.colleague("staff");
    const answers = await Promise.all(["first of the two", "second of the two"].map((next) => change(staff, password, next)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400]);
    const winner = answers[0]!.status === 200 ? "first of the two" : "second of the two";
    expect([(await signIn(staff.email, winner)).status, (await signIn(staff.email, password)).status]).toEqual([200, 401]);
  });
  test.each([
    [{ currentPassword: password }, "newPassword", "required"],
    [{ newPassword: password }, "currentPassword", "required"],
    [{ currentPassword: password, newPassword: "seven77" }, "newPassword", "too_short"],
    [{ currentPassword: password, newPassword: "x".repeat(129) }, "newPassword", "too_long"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    const answer = await manager.attempt("changeMyPassword", { body: body as never });
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("completeOnboarding", () => {
  test("happens once, however many ask", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => manager.attempt("completeOnboarding", { body: { steps: { profile: true } } })));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    expect(done[0]!.body.user.onboardingCompletedAt).toEqual(expect.any(String));
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(["409 invalid_transition"]),
    );
    expect((await office.call("getOrganization")).organization.onboardingCompletedAt).toBeNull();
    const { auditEntries } = await office.call("listAuditEntries", { query: { entityId: manager.userId, action: "user.onboarding_completed" } });
    expect(auditEntries).toMatchObject([
      { before: { onboardingCompletedAt: null }, after: { onboardingCompletedAt: expect.any(String), steps: { profile: true } } },
    ]);
  });
  test("of the first admin completes the organization's, and another admin's changes it no more", async () => {
    const own = await anOffice();
    const second = await own.colleague("admin");
    await own.call("completeOnboarding");
    const { organization } = await own.call("getOrganization");
    expect(organization.onboardingCompletedAt).toEqual(expect.any(String));
    await second.call("completeOnboarding");
    expect((await own.call("getOrganization")).organization.onboardingCompletedAt).toBe(organization.onboardingCompletedAt);
  });
  test("refuses steps of another shape", async () => {
    const steps = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`step ${index}`, true]));
    for (const wrong of [{ steps: [] }, { steps }, { steps: { profile: { done: true } } }]) {
      const { status, body } = await office.attempt("completeOnboarding", { body: wrong as never });
      expect([status, body.errors?.[0]?.path.split(".")[0]]).toEqual([400, "steps"]);
    }
  });
});

test("a tenant changes what is their own as the office does", async () => {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  const user = await office.tenantUser(tenant.id);
  expect((await user.call("updateMe", { body: { fullName: "Tess T." } })).user).toMatchObject({ fullName: "Tess T.", role: "tenant", subjectId: tenant.id });
  expect((await user.call("changeMyConsent", { body: { smsConsent: true } })).user.smsConsent.granted).toBe(true);
});
