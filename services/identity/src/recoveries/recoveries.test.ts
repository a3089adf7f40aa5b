import { describe, expect, test } from "@jest/globals";
import { Client, type Attempt } from "../../../../test/support/client.ts";
import { anEmail, anOffice, password, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { ageOneTimeTokens, findPublishedEvents, readTableAsJson, withLockedOneTimeTokens } from "../../test/database.ts";
import { addressHeader } from "../../test/assertion.ts";
import { startIdentity } from "../../test/process.ts";

const anonymousClient = () => new Client(running().baseUrl);
const newPassword = "another good one";
type Kind = "password-reset" | "email-confirmation";

/** Waits for at least `count` e-mailed tokens and returns them, newest first. */
const mailedTokens = (email: string, kind: Kind, count = 1): Promise<string[]> =>
  eventually(`${kind} link`, async () => {
    const { messages } = await anonymousClient().call("listDevOutbox", { query: { to: email } });
    const tokens = messages.flatMap(({ links }) => links).flatMap((link) => new RegExp(`^${running().baseUrl}/${kind}/([\\w-]{64})$`).exec(link)?.[1] ?? []);
    return tokens.length >= count ? tokens : undefined;
  });
const countEmails = async (email: string) => (await anonymousClient().call("listDevOutbox", { query: { to: email } })).messages.length;
const requestResetToken = async (email: string) => {
  await anonymousClient().call("requestPasswordReset", { body: { email } });
  return (await mailedTokens(email, "password-reset"))[0]!;
};
const confirm = (token: string, secret = newPassword) => anonymousClient().attempt("confirmPasswordReset", { body: { token, newPassword: secret } });
const signInStatus = async (email: string, secret: string) => (await anonymousClient().attempt("login", { body: { email, password: secret } })).status;
const canRefresh = async (client: Client) => (await client.attempt("refreshToken", { body: { grantType: "refresh_token" } })).status === 200;
const statuses = (responses: readonly { status: number }[]) => responses.map(({ status }) => status).sort((a, b) => a - b);

describe("requestPasswordReset", () => {
  test("e-mails a link to an account, ignoring the case of the address", async () => {
    const office = await anOffice();
    await anonymousClient().call("requestPasswordReset", { body: { email: office.email.toUpperCase() } });
    const [token] = await mailedTokens(office.email, "password-reset");
    expect(await readTableAsJson(office.organizationId, "one_time_token")).not.toContain(token);
  });
  test("responds the same to an unknown address and e-mails nothing", async () => {
    const office = await anOffice();
    const unknown = anEmail();
    const request = (email: string) => anonymousClient().attempt("requestPasswordReset", { body: { email } });
    const comparable = ({ status, text, headers }: Attempt<"requestPasswordReset">) =>
      [status, text, [...headers].filter(([name]) => !["date", "x-request-id"].includes(name))] as const;
    expect(comparable(await request(unknown))).toEqual(comparable(await request(office.email)));
    await mailedTokens(office.email, "password-reset");
    expect(await countEmails(unknown)).toBe(0);
  });
  test("responds before a link is created, so that the duration does not depend on an account", async () => {
    const office = await anOffice();
    await mailedTokens(office.email, "email-confirmation");
    // Expired tokens are deleted with the creation of a link, which therefore waits for their lock.
    await ageOneTimeTokens(office.organizationId, 2 * 86_400);
    await withLockedOneTimeTokens(office.organizationId, async (isBlocking) => {
      await anonymousClient().call("requestPasswordReset", { body: { email: office.email } });
      await eventually("creation of a link", async () => await isBlocking());
    });
    await mailedTokens(office.email, "password-reset");
  });
  test("e-mails one link per organization of the address, each valid for its organization", async () => {
    const email = anEmail();
    const signUp = (organizationName: string) => anonymousClient().call("signUp", { body: { organizationName, fullName: "Ada", email, password } });
    const [first, second] = [await signUp("First House"), await signUp("Second House")];
    await anonymousClient().call("requestPasswordReset", { body: { email } });
    const tokens = await mailedTokens(email, "password-reset", 2);
    const { body } = await confirm(tokens[0]!);
    expect([first.organization.id, second.organization.id]).toContain(body.organization.id);
    const other = body.organization.id === first.organization.id ? second : first;
    expect((await anonymousClient().call("login", { body: { email, password } })).organization.id).toBe(other.organization.id);
    expect((await anonymousClient().call("login", { body: { email, password: newPassword } })).organization.id).toBe(body.organization.id);
    expect((await confirm(tokens[1]!, "a third good one")).body.organization.id).toBe(other.organization.id);
  });
  test("e-mails nothing to a deactivated user or one with a pending invite", async () => {
    const office = await anOffice();
    const deactivated = await office.colleague("staff");
    await office.call("updateUser", { params: { id: deactivated.userId }, body: { isActive: false } });
    const email = anEmail();
    await office.call("createUser", { body: { email, fullName: "Ivy Invited", role: "staff" } });
    const before = [await countEmails(deactivated.email), await countEmails(email)];
    for (const each of [deactivated.email, email, office.email]) await anonymousClient().call("requestPasswordReset", { body: { email: each } });
    await mailedTokens(office.email, "password-reset");
    expect([await countEmails(deactivated.email), await countEmails(email)]).toEqual(before);
  });
  test("is rate limited per e-mail address, existing or not, from one client address, so that nobody else stops the owner's e-mails, and per client address", async () => {
    const office = await anOffice();
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "3" });
    const request = async (email: string, address: string) =>
      identity.client.attempt("requestPasswordReset", { body: { email }, headers: await addressHeader(address) });
    try {
      for (const email of [office.email, anEmail()]) {
        const responses = [];
        for (let attempt = 0; attempt < 4; attempt++) responses.push(await request(email, "192.0.2.10"));
        expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
        expect(Number(responses[3]!.headers.get("retry-after"))).toBeGreaterThan(800);
        expect((await request(email, "192.0.2.12")).status).toBe(200);
      }
      const responses = [];
      for (let attempt = 0; attempt < 51; attempt++) responses.push((await request(anEmail(), "192.0.2.11")).status);
      expect([responses.slice(0, 50).every((status) => status === 200), responses[50]]).toEqual([true, 429]);
    } finally {
      await identity.stop();
    }
  });
  test.each([
    [{}, "email", "required"],
    [{ email: "nobody" }, "email", "format"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    for (const id of ["requestPasswordReset", "resendEmailConfirmation"] as const) {
      const response = await anonymousClient().attempt(id, { body: body as never });
      expect([response.status, response.body.errors]).toMatchObject([400, [{ path, code }]]);
    }
  });
});

describe("confirmPasswordReset", () => {
  test("replaces the password, signs in and ends all previous sessions", async () => {
    const office = await anOffice();
    const client = anonymousClient();
    await client.call("login", { body: { email: office.email, password } });
    const token = await requestResetToken(office.email);
    const newClient = anonymousClient();
    const { status, body, text } = await newClient.attempt("confirmPasswordReset", { body: { token, newPassword } });
    expect([status, text.includes(newPassword)]).toEqual([200, false]);
    expect(body).toMatchObject({ tokenType: "Bearer", user: { id: office.userId, emailConfirmedAt: expect.any(String) } });
    expect([await canRefresh(client), await canRefresh(office), await canRefresh(newClient)]).toEqual([false, false, true]);
    expect([await signInStatus(office.email, password), await signInStatus(office.email, newPassword)]).toEqual([401, 200]);
  });
  test("accepts a token once among twenty concurrent requests", async () => {
    const token = await requestResetToken((await anOffice()).email);
    const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => confirm(token, `password number ${index}`)));
    expect(statuses(responses)).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    expect(new Set(responses.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(new Set(["invalid_transition"]));
  });
  test("invalidates the other links, and concurrent resets do not deadlock", async () => {
    const { email } = await anOffice();
    for (let index = 0; index < 2; index++) await anonymousClient().call("requestPasswordReset", { body: { email } });
    const tokens = await mailedTokens(email, "password-reset", 2);
    expect(statuses(await Promise.all(tokens.map((token) => confirm(token))))).toEqual([200, 409]);
    expect((await confirm(tokens[0]!)).status).toBe(409);
  });
  test("invalidates the link of the confirmation, which would sign in as well, and so does a change of the own password", async () => {
    const office = await anOffice();
    const [confirmation] = await mailedTokens(office.email, "email-confirmation");
    const reset = await requestResetToken(office.email);
    expect((await confirm(reset)).status).toBe(200);
    expect((await anonymousClient().attempt("confirmEmail", { body: { token: confirmation! } })).status).toBe(409);
    const another = await anOffice();
    const links = [await requestResetToken(another.email), (await mailedTokens(another.email, "email-confirmation"))[0]!] as const;
    await another.call("changeMyPassword", { body: { currentPassword: password, newPassword } });
    expect((await confirm(links[0], "a third good one")).status).toBe(409);
    expect((await anonymousClient().attempt("confirmEmail", { body: { token: links[1] } })).status).toBe(409);
  });
  test("refuses a token after sixty minutes and a token of the other kind", async () => {
    const [office, officeBeforeExpiry] = [await anOffice(), await anOffice()];
    const [confirmationToken] = await mailedTokens(office.email, "email-confirmation");
    const [token, validToken] = [await requestResetToken(office.email), await requestResetToken(officeBeforeExpiry.email)];
    await ageOneTimeTokens(officeBeforeExpiry.organizationId, 59 * 60);
    expect((await confirm(validToken)).status).toBe(200);
    await ageOneTimeTokens(office.organizationId, 60 * 60);
    for (const each of [token, confirmationToken!, "nonsense", "A".repeat(64)]) {
      const { status, body } = await confirm(each);
      expect([status, body.errors]).toMatchObject([400, [{ path: "token", code: "not_found" }]]);
    }
    expect(await signInStatus(office.email, password)).toBe(200);
  });
  test("refuses a user deactivated after the request", async () => {
    const office = await anOffice();
    const colleague = await office.colleague("staff");
    const token = await requestResetToken(colleague.email);
    await office.call("updateUser", { params: { id: colleague.userId }, body: { isActive: false } });
    expect((await confirm(token)).status).toBe(400);
  });
  test("resets the rate limit of wrong passwords", async () => {
    const office = await anOffice();
    const token = await requestResetToken(office.email);
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "1" });
    const signIn = (secret: string) => identity.client.attempt("login", { body: { email: office.email, password: secret } });
    try {
      expect([(await signIn("not the password")).status, (await signIn(password)).status]).toEqual([401, 429]);
      await identity.client.call("confirmPasswordReset", { body: { token, newPassword } });
      expect((await signIn(newPassword)).status).toBe(200);
    } finally {
      await identity.stop();
    }
  });
});

describe("confirmEmail", () => {
  const confirmAddress = (token: string) => anonymousClient().attempt("confirmEmail", { body: { token } });
  const confirmedAt = async (office: Office) => (await office.call("getMe")).user.emailConfirmedAt;

  test("confirms the address, publishes the change and signs in", async () => {
    const office = await anOffice();
    expect(await confirmedAt(office)).toBeNull();
    const [token] = await mailedTokens(office.email, "email-confirmation");
    const { body, headers } = await confirmAddress(token!);
    expect(body.user).toMatchObject({ id: office.userId, emailConfirmedAt: expect.any(String) });
    expect(headers.getSetCookie().map((cookie) => cookie.split("=")[0])).toEqual(["service_refresh_token", "service_device"]);
    expect(await confirmedAt(office)).toBe(body.user.emailConfirmedAt);
    expect((await findPublishedEvents(office.organizationId)).filter(({ type }) => type === "user.updated")).toHaveLength(1);
    expect(await canRefresh(office)).toBe(true);
  });
  test("accepts a token once among twenty concurrent requests", async () => {
    const [token] = await mailedTokens((await anOffice()).email, "email-confirmation");
    const responses = await Promise.all(Array.from({ length: 20 }, () => confirmAddress(token!)));
    expect(statuses(responses)).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  });
  test("refuses a token after a day and a token of the other kind", async () => {
    const office = await anOffice();
    const [token] = await mailedTokens(office.email, "email-confirmation");
    expect((await confirmAddress(await requestResetToken(office.email))).status).toBe(400);
    await ageOneTimeTokens(office.organizationId, 24 * 3_600 + 1);
    const { status, body } = await confirmAddress(token!);
    expect([status, body.errors]).toMatchObject([400, [{ path: "token", code: "not_found" }]]);
    expect(await confirmedAt(office)).toBeNull();
  });
  test("accepts a token e-mailed again, which only an unconfirmed address receives", async () => {
    const office = await anOffice();
    const [first] = await mailedTokens(office.email, "email-confirmation");
    await anonymousClient().call("resendEmailConfirmation", { body: { email: office.email } });
    const tokens = await mailedTokens(office.email, "email-confirmation", 2);
    const second = tokens.find((token) => token !== first);
    expect((await confirmAddress(second!)).status).toBe(200);
    const before = await countEmails(office.email);
    for (const email of [office.email, anEmail()])
      expect(await anonymousClient().call("resendEmailConfirmation", { body: { email } })).toEqual({ accepted: true });
    await requestResetToken(office.email);
    expect(await countEmails(office.email)).toBe(before + 1);
  });
});

describe("an e-mailed link", () => {
  test.each([
    ["password-reset", "confirmPasswordReset", "Choose a new password"],
    ["email-confirmation", "confirmEmail", "Confirm your e-mail address"],
    ["invites", "acceptInvite", "Accept your invite"],
  ])("/%s/… is a page in a browser and describes the operation %s as JSON", async (path, id, title) => {
    const page = await anonymousClient().raw("GET", `/${path}/some-token`, undefined, { Accept: "text/html,*/*" });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const html = await page.text();
    expect(html).toContain(`<h1>${title}</h1>`);
    const { pathname } = new URL(/<script src="([^"]+)">/.exec(html)![1]!, `${running().baseUrl}/${path}/some-token`);
    expect(await (await anonymousClient().raw("GET", pathname)).text()).toContain("addEventListener");
    const json = (await (await anonymousClient().raw("GET", `/${path}/some-token`, undefined, { Accept: "application/json" })).json()) as {
      operation: { id: string };
    };
    expect(json.operation.id).toBe(id);
    expect(JSON.stringify(json.operation)).toContain("some-token");
  });
});
