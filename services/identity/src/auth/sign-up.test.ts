import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { anEmail, anOffice, confirmAddress, password } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { findPublishedEvents, readTableAsJson } from "../../test/database.ts";

const anonymousClient = () => new Client(running().baseUrl);
const signUpBody = (changes: object = {}) => ({ organizationName: "Elm Street", fullName: "Ada Admin", email: anEmail(), password, ...changes });

describe("signUp", () => {
  test("creates the organization and its admin, and signs the admin in", async () => {
    const client = anonymousClient();
    const email = `Ada.${anEmail()}`;
    const { status, body, headers } = await client.attempt("signUp", { body: signUpBody({ email, phone: "(212) 555-0123", timezone: "America/Chicago" }) });
    expect(status).toBe(200);
    expect(body.user).toMatchObject({
      email: email.toLowerCase(),
      role: "admin",
      phone: "+12125550123",
      isActive: true,
      emailConfirmedAt: null,
      subjectId: null,
    });
    expect(body.organization).toMatchObject({ name: "Elm Street", timezone: "America/Chicago" });
    expect(body).toMatchObject({ tokenType: "Bearer", expiresIn: 900, emailConfirmationRequired: true });
    expect(headers.getSetCookie()[0]).toMatch(/^service_refresh_token=[0-9a-f-]{36}\.[\w-]{43}; Max-Age=604800; HttpOnly; SameSite=Lax; Path=\/api\/auth$/);
    client.token = body.accessToken;
    expect((await client.call("getMe")).user.id).toBe(body.user.id);
  });

  test("sets up the ledger: the chart of accounts exists when the response is sent", async () => {
    const office = await anOffice();
    expect((await office.call("listCategories")).categories.length).toBeGreaterThan(0);
  });

  test("defaults to the New York time zone and the documented policies", async () => {
    const client = anonymousClient();
    const { accessToken } = await client.call("signUp", { body: signUpBody() });
    client.token = accessToken;
    expect((await client.call("getOrganization")).organization).toMatchObject({
      timezone: "America/New_York",
      currency: "USD",
      locale: "en-US",
      defaultBasis: "accrual",
      fiscalYearStartMonth: 1,
      policies: { trustOverdraft: "block", autoAllocatePayments: false, taxReportingThresholdCents: 200_000, defaultDepositDeadlineDays: 30 },
    });
  });

  test("publishes the creation of the organization and of its admin", async () => {
    const office = await anOffice();
    const events = await findPublishedEvents(office.organizationId);
    expect(events.slice(0, 2)).toMatchObject([
      { type: "organization.created", entityId: office.organizationId, actorUserId: office.userId, data: {} },
      { type: "user.created", entityId: office.userId, data: { role: "admin" } },
    ]);
  });

  test("stores the password as argon2id only and the refresh token as a digest only", async () => {
    const client = anonymousClient();
    const { organization } = await client.call("signUp", { body: signUpBody({ password: "a very odd passphrase" }) });
    const users = await readTableAsJson(organization.id, "app_user");
    expect(users).toContain("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(users).not.toContain("odd passphrase");
    const secret = client.cookie!.split(".").pop()!;
    expect(await readTableAsJson(organization.id, "refresh_token")).not.toContain(secret);
  });

  test("assigns unique slugs to organizations with the same name, also concurrently", async () => {
    const organizationName = `Oak ${anEmail()}`;
    const responses = await Promise.all(Array.from({ length: 6 }, () => anonymousClient().call("signUp", { body: signUpBody({ organizationName }) })));
    expect(new Set(responses.map(({ organization }) => organization.slug)).size).toBe(6);
  });

  test("creates another organization for an existing account with its password", async () => {
    const email = anEmail();
    const first = await anonymousClient().call("signUp", { body: signUpBody({ email }) });
    const second = await anonymousClient().call("signUp", { body: signUpBody({ email: email.toUpperCase() }) });
    expect(second.organization.id).not.toBe(first.organization.id);
    expect(second.user.id).not.toBe(first.user.id);
  });

  test("refuses an existing account with another password", async () => {
    const email = anEmail();
    await anonymousClient().call("signUp", { body: signUpBody({ email }) });
    const { status, body } = await anonymousClient().attempt("signUp", { body: signUpBody({ email, password: "another password" }) });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: "duplicate", errors: [{ path: "email", code: "unique" }] });
  });

  test("responds the same to a common password for a known and an unknown address", async () => {
    const email = anEmail();
    await anonymousClient().call("signUp", { body: signUpBody({ email }) });
    await confirmAddress(running().baseUrl, email);
    const refuse = async (address: string) => {
      const { status, text } = await anonymousClient().attempt("signUp", { body: signUpBody({ email: address, password: "password123" }) });
      return [status, text];
    };
    const refused = await refuse(email);
    expect([refused[0], refused]).toEqual([400, await refuse(anEmail())]);
  });

  test.each([
    [{ timezone: "Mars/Olympus" }, "timezone", "format"],
    [{ timezone: "+05:00" }, "timezone", "format"],
    [{ phone: "555-0123" }, "phone", "format"],
    [{ phone: "123456" }, "phone", "too_short"],
    [{ email: "nobody" }, "email", "format"],
    [{ password: "1234567" }, "password", "too_short"],
    [{ password: "x".repeat(129) }, "password", "too_long"],
    [{ password: "PassWord123" }, "password", "not_allowed"],
    [{ organizationName: "  " }, "organizationName", "too_short"],
    [{ organizationName: "x".repeat(161) }, "organizationName", "too_long"],
    [{ fullName: "" }, "fullName", "too_short"],
    [{ fullName: "x".repeat(161) }, "fullName", "too_long"],
    [{ email: undefined }, "email", "required"],
    [{ role: "admin" }, "role", "unrecognized_key"],
    [{ organizationId: "x" }, "organizationId", "unrecognized_key"],
  ])("refuses %j, naming %s", async (wrong, path, code) => {
    const { status, body } = await anonymousClient().attempt("signUp", { body: signUpBody(wrong) });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "validation_failed", errors: [{ path, code }] });
  });

  test.each([{ password: "x8 chars" }, { password: "x".repeat(128) }, { organizationName: "x".repeat(160) }, { fullName: "y".repeat(160) }])(
    "accepts %j",
    async (changes) => {
      expect((await anonymousClient().attempt("signUp", { body: signUpBody(changes) })).status).toBe(200);
    },
  );
});
