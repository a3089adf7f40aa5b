import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { anOffice, password, type Colleague, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { findPublishedEvents, readRows } from "../../test/database.ts";

let office: Office;
let manager: Colleague;
beforeAll(async () => {
  office = await anOffice();
  manager = await office.colleague("manager");
});
const consentsOf = async (user: Colleague) =>
  (await readRows(user.organizationId, "consent_record"))
    .filter(({ user_id }) => user_id === user.userId)
    .map(({ channel, is_granted }) => [channel, is_granted]);

describe("updateMe", () => {
  test("updates only the caller and publishes the change", async () => {
    const { user } = await manager.call("updateMe", { body: { fullName: "  Mia Manager ", locale: "es-MX" } });
    expect(user).toMatchObject({ id: manager.userId, fullName: "Mia Manager", locale: "es-MX", role: "manager" });
    expect((await manager.call("updateMe", { body: { locale: "en-US" } })).user).toMatchObject({ fullName: "Mia Manager", locale: "en-US" });
    expect((await office.call("getMe")).user.fullName).toBe("Ada Admin");
    const events = (await findPublishedEvents(office.organizationId)).filter(({ type, entityId }) => type === "user.updated" && entityId === manager.userId);
    expect(events).toHaveLength(2);
  });
  test("neither changes the version nor publishes an event without a change", async () => {
    const countEvents = async () => (await findPublishedEvents(office.organizationId)).length;
    const eventCount = await countEvents();
    const unchanged = await manager.attempt("updateMe", { body: {} });
    const repeated = await manager.attempt("updateMe", { body: { fullName: unchanged.body.user.fullName } });
    expect(repeated.headers.get("etag")).toBe(unchanged.headers.get("etag"));
    expect(await countEvents()).toBe(eventCount);
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
    const response = await manager.attempt("updateMe", { body: body as never });
    expect([response.status, response.body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("changeMyPhone", () => {
  test.each([
    ["(212) 555-0123", "+12125550123"],
    ["2125550124", "+12125550124"],
    ["+44 20 7946 0958", "+442079460958"],
  ])("stores %s as %s", async (phone, stored) => {
    expect((await manager.call("changeMyPhone", { body: { phone } })).user.phone).toBe(stored);
  });
  test("withdraws the consent of the previous number and records the withdrawal", async () => {
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
    const response = await manager.attempt("changeMyPhone", { body: body as never });
    expect([response.status, response.body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("changeMyConsent", () => {
  test("sets the time of each consent and records the source and the client address", async () => {
    const staff = await office.colleague("staff");
    const before = Date.now();
    const { user } = await staff.call("changeMyConsent", { body: { smsConsent: true, emailConsent: true, source: "welcome page" } });
    expect(user).toMatchObject({ smsConsent: { granted: true }, emailConsent: { granted: true } });
    expect(Date.parse(user.smsConsent.at!)).toBeGreaterThanOrEqual(before - 1_000);
    const withdrawal = await staff.call("changeMyConsent", { body: { smsConsent: false } });
    expect(withdrawal.user).toMatchObject({ smsConsent: { granted: false, at: expect.any(String) }, emailConsent: user.emailConsent });
    const rows = (await readRows(office.organizationId, "consent_record")).filter(({ user_id }) => user_id === staff.userId);
    expect(
      rows.toSorted((a, b) => String(a["source"]).localeCompare(String(b["source"])) || String(b["channel"]).localeCompare(String(a["channel"]))),
    ).toMatchObject([
      { channel: "sms", is_granted: false, source: "account", ip: "127.0.0.1" },
      { channel: "sms", is_granted: true, source: "welcome page", ip: "127.0.0.1" },
      { channel: "email", is_granted: true, source: "welcome page", ip: "127.0.0.1" },
    ]);
  });
  test("records each of twenty concurrent changes", async () => {
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
    const response = await manager.attempt("changeMyConsent", { body: body as never });
    expect([response.status, response.body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("changeMyPassword", () => {
  const signIn = async (email: string, secret: string) => {
    const client = new Client(running().baseUrl);
    const { status, body } = await client.attempt("login", { body: { email, password: secret } });
    client.token = body.accessToken;
    return { client, status };
  };
  const canRefresh = async (client: Client) => (await client.attempt("refreshToken", { body: { grantType: "refresh_token" } })).status === 200;
  const change = (client: Client, currentPassword: string, newPassword: string) =>
    client.attempt("changeMyPassword", { body: { currentPassword, newPassword } });

  test("replaces the password and ends all other sessions", async () => {
    const staff = await office.colleague("staff");
    const [current, other] = [await signIn(staff.email, password), await signIn(staff.email, password)];
    const { status, text } = await change(current.client, password, "another good one");
    expect([status, text.includes("another good one")]).toEqual([200, false]);
    expect([(await signIn(staff.email, password)).status, (await signIn(staff.email, "another good one")).status]).toEqual([401, 200]);
    expect([await canRefresh(current.client), await canRefresh(other.client), await canRefresh(staff)]).toEqual([true, false, false]);
  });
  test("refuses a wrong current password and changes nothing", async () => {
    const staff = await office.colleague("staff");
    const { status, body } = await change(staff, "not the password", "another good one");
    expect([status, body.errors]).toMatchObject([400, [{ path: "currentPassword", code: "mismatch" }]]);
    expect((await signIn(staff.email, password)).status).toBe(200);
  });
  test("succeeds once among two concurrent changes", async () => {
    const staff = await office.colleague("staff");
    const responses = await Promise.all(["first of the two", "second of the two"].map((next) => change(staff, password, next)));
    expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400]);
    const winner = responses[0]!.status === 200 ? "first of the two" : "second of the two";
    expect([(await signIn(staff.email, winner)).status, (await signIn(staff.email, password)).status]).toEqual([200, 401]);
  });
  test.each([
    [{ currentPassword: password }, "newPassword", "required"],
    [{ newPassword: password }, "currentPassword", "required"],
    [{ currentPassword: password, newPassword: "seven77" }, "newPassword", "too_short"],
    [{ currentPassword: password, newPassword: "x".repeat(129) }, "newPassword", "too_long"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    const response = await manager.attempt("changeMyPassword", { body: body as never });
    expect([response.status, response.body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("completeOnboarding", () => {
  test("succeeds once among concurrent requests", async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => manager.attempt("completeOnboarding", { body: { steps: { profile: true } } })));
    const succeeded = responses.filter(({ status }) => status === 200);
    expect(succeeded).toHaveLength(1);
    expect(succeeded[0]!.body.user.onboardingCompletedAt).toEqual(expect.any(String));
    expect(new Set(responses.filter(({ status }) => status !== 200).map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(["409 invalid_transition"]),
    );
    expect((await office.call("getOrganization")).organization.onboardingCompletedAt).toBeNull();
    const { auditEntries } = await office.call("listAuditEntries", { query: { entityId: manager.userId, action: "user.onboarding_completed" } });
    expect(auditEntries).toMatchObject([
      { before: { onboardingCompletedAt: null }, after: { onboardingCompletedAt: expect.any(String), steps: { profile: true } } },
    ]);
  });
  test("sets the organization's onboarding time when the first admin completes onboarding, and keeps it when the second does", async () => {
    const newOffice = await anOffice();
    const second = await newOffice.colleague("admin");
    await newOffice.call("completeOnboarding");
    const { organization } = await newOffice.call("getOrganization");
    expect(organization.onboardingCompletedAt).toEqual(expect.any(String));
    await second.call("completeOnboarding");
    expect((await newOffice.call("getOrganization")).organization.onboardingCompletedAt).toBe(organization.onboardingCompletedAt);
  });
  test("refuses invalid steps", async () => {
    const steps = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`step ${index}`, true]));
    for (const wrong of [{ steps: [] }, { steps }, { steps: { profile: { done: true } } }]) {
      const { status, body } = await office.attempt("completeOnboarding", { body: wrong as never });
      expect([status, body.errors?.[0]?.path.split(".")[0]]).toEqual([400, "steps"]);
    }
  });
});

test("a tenant can update their own user and consent", async () => {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  const user = await office.tenantUser(tenant.id);
  expect((await user.call("updateMe", { body: { fullName: "Tess T." } })).user).toMatchObject({ fullName: "Tess T.", role: "tenant", subjectId: tenant.id });
  expect((await user.call("changeMyConsent", { body: { smsConsent: true } })).user.smsConsent.granted).toBe(true);
});
