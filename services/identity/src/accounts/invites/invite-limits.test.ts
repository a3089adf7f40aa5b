import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomBytes, randomUUID } from "node:crypto";
import { freePorts } from "../../../../../deploy/system/ports.ts";
import { Client } from "../../../../../test/support/client.ts";
import { anEmail, anOffice, confirmAddress, password } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { startServiceProcess } from "../../../../../test/support/service-process.ts";
import { assertionHeader } from "../../../test/assertion.ts";
import { recordInvitesSent } from "../../../test/database.ts";

const { baseUrl } = running();
type Process = Awaited<ReturnType<typeof startServiceProcess>>;
const started: Process[] = [];
/** Invites that an organization has sent already, of the fifty before the confirmation. */
const INVITES_SENT = 45;
/** Clients of an identity process with limits, and of a portfolio process that calls it. */
let [identity, portfolio]: Client[] = [];

async function startProcess(name: "identity" | "portfolio", settings: Record<string, string>): Promise<Client> {
  const running = await startServiceProcess(name, settings);
  started.push(running);
  return new Client(running.baseUrl);
}

/** Starts the processes and returns their clients. */
async function startWithLimits(limits: Record<string, string>): Promise<[Client, Client]> {
  const [port] = (await freePorts(1)) as [number];
  return [
    await startProcess("identity", { ...limits, GRPC_PORT: String(port) }),
    await startProcess("portfolio", { IDENTITY_GRPC: `127.0.0.1:${port}`, PORTFOLIO_ENCRYPTION_KEY: randomBytes(32).toString("base64") }),
  ];
}

beforeAll(async () => {
  [identity, portfolio] = await startWithLimits({ SIGN_IN_ATTEMPTS: "1000" });
});
afterAll(() => Promise.all(started.map((each) => each.end("SIGTERM"))));

/** Signs up an organization whose admin has not confirmed the e-mail address, and which can send five more of fifty invites. */
async function anUnconfirmedOffice() {
  const client = new Client(baseUrl);
  const email = anEmail();
  const { accessToken, user } = await client.call("signUp", { body: { organizationName: "Elm Street", fullName: "Ada Admin", email, password } });
  client.token = accessToken;
  const { tenant } = await client.call("createTenant", { body: { fullName: "Tess Tenant" } });
  await recordInvitesSent(user.organizationId, INVITES_SENT);
  const headers = await assertionHeader({ organizationId: user.organizationId, userId: user.id });
  return { client, email, headers, tenantId: tenant.id };
}
type Unconfirmed = Awaited<ReturnType<typeof anUnconfirmedOffice>>;
const inviteUser = ({ headers }: Unconfirmed, email = anEmail(), role: "staff" | "admin" = "staff") =>
  identity!.attempt("createUser", { body: { email, fullName: "Ivy Invited", role }, headers });
const inviteTenant = ({ headers, tenantId }: Unconfirmed) =>
  portfolio!.attempt("createTenantInvite", { body: { tenantId, email: anEmail(), channels: ["email"] }, headers });

describe("before an admin has confirmed an e-mail address", () => {
  test("fifty invites to users and portals can be sent, resent ones included, and any number afterwards", async () => {
    const office = await anUnconfirmedOffice();
    const { body: user } = await inviteUser(office);
    const { body: tenant } = await inviteTenant(office);
    const { headers } = office;
    const resendUser = () => identity!.attempt("resendUserInvite", { params: { id: user.user.id }, headers });
    const resendTenant = () => portfolio!.attempt("resendTenantInvite", { params: { id: tenant.invite.id }, body: { channels: ["email"] }, headers });
    expect([(await resendUser()).status, (await resendTenant()).status, (await inviteUser(office)).status]).toEqual([200, 200, 200]);
    for (const refused of [await inviteUser(office), await inviteTenant(office), await resendUser(), await resendTenant()]) {
      expect([refused.status, refused.body.code]).toEqual([403, "email_unconfirmed"]);
      expect(refused.body.message).toContain("Open the link in the e-mail");
    }
    await confirmAddress(baseUrl, office.email);
    for (const allowed of [await inviteUser(office), await inviteTenant(office), await resendUser()]) expect(allowed.status).toBe(200);
  });

  test("of twenty concurrent invites exactly the five that are left are sent", async () => {
    const office = await anUnconfirmedOffice();
    const responses = await Promise.all(Array.from({ length: 20 }, () => inviteUser(office)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    expect((await office.client.call("listUsers")).users).toHaveLength(6);
  });

  test("an invite that is not sent does not count", async () => {
    const office = await anUnconfirmedOffice();
    const unknownTenant = { ...office, tenantId: randomUUID() };
    for (let attempt = 0; attempt < 6; attempt++) {
      expect((await inviteTenant(unknownTenant)).status).toBe(400);
      expect((await inviteUser(office, office.email)).status).toBe(409);
    }
    expect((await inviteTenant(office)).status).toBe(200);
  });

  test("a repeated request with the same Idempotency-Key is answered and does not count", async () => {
    const office = await anUnconfirmedOffice();
    const headers = { ...office.headers, "Idempotency-Key": randomUUID() };
    const body = { tenantId: office.tenantId, email: anEmail(), channels: ["email" as const] };
    const send = () => portfolio!.attempt("createTenantInvite", { body, headers });
    for (let attempt = 0; attempt < 6; attempt++) expect((await send()).status).toBe(200);
    for (let attempt = 0; attempt < 4; attempt++) expect((await inviteUser(office)).status).toBe(200);
    expect([(await inviteUser(office)).status, (await send()).status]).toEqual([403, 200]);
  });

  test("an invite that the sender accepts is no confirmation, also of an admin", async () => {
    const office = await anUnconfirmedOffice();
    const { inviteLink } = (await inviteUser(office, anEmail(), "admin")).body;
    await new Client(baseUrl).call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password } });
    for (let attempt = 0; attempt < 4; attempt++) expect((await inviteUser(office)).status).toBe(200);
    expect((await inviteUser(office)).body.code).toBe("email_unconfirmed");
  });

  test("an invited admin confirms the organization with a mailed link", async () => {
    const office = await anUnconfirmedOffice();
    const email = anEmail();
    const { inviteLink } = (await inviteUser(office, email, "admin")).body;
    await new Client(baseUrl).call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password } });
    for (let attempt = 0; attempt < 4; attempt++) expect((await inviteUser(office)).status).toBe(200);
    await new Client(baseUrl).call("resendEmailConfirmation", { body: { email } });
    await confirmAddress(baseUrl, email);
    expect((await inviteUser(office)).status).toBe(200);
  });
});

describe("a recipient", () => {
  test("gets a limited number of invites of each kind from an organization in a day, 429 with Retry-After beyond", async () => {
    const office = await anOffice();
    await confirmAddress(baseUrl, office.email);
    const [limited, portal] = await startWithLimits({ SIGN_IN_ATTEMPTS: "10", MAILS_PER_RECIPIENT: "2" });
    const headers = await assertionHeader(office);
    const email = anEmail();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant", email } });
    const invite = () => portal.attempt("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] }, headers });
    const expectLimit = async (send: () => Promise<{ status: number; body: { code?: string | undefined }; headers: Headers }>) => {
      const refused = await send();
      expect([refused.status, refused.body.code, Number(refused.headers.get("retry-after")) > 80_000]).toEqual([429, "rate_limited", true]);
    };
    for (let count = 0; count < 2; count++) expect((await invite()).status).toBe(200);
    await expectLimit(invite);
    // An invite of the other kind to the same address counts by itself.
    const { user } = await limited.call("createUser", { body: { email, fullName: "Ivy Invited", role: "staff" }, headers });
    const resend = () => limited.attempt("resendUserInvite", { params: { id: user.id }, headers });
    expect((await resend()).status).toBe(200);
    await expectLimit(resend);
    expect((await limited.attempt("createUser", { body: { email: anEmail(), fullName: "Ivy", role: "staff" }, headers })).status).toBe(200);
  });

  test("gets a limited number of invites from all organizations together that have not confirmed an address", async () => {
    const [limited] = await startWithLimits({ SIGN_IN_ATTEMPTS: "10", MAILS_PER_RECIPIENT: "2" });
    const email = anEmail();
    const invite = (headers: Record<string, string>) => limited.attempt("createUser", { body: { email, fullName: "Ivy Invited", role: "staff" }, headers });
    const senders = [await anUnconfirmedOffice(), await anUnconfirmedOffice(), await anUnconfirmedOffice()];
    const statuses = [];
    for (const { headers } of senders) statuses.push((await invite(headers)).status);
    expect(statuses).toEqual([200, 200, 429]);
    const confirmed = senders[2]!;
    await confirmAddress(baseUrl, confirmed.email);
    expect((await invite(confirmed.headers)).status).toBe(200);
  });
});

test("invites are unlimited where the limits are turned off", async () => {
  const { client } = await anUnconfirmedOffice();
  for (let invite = 0; invite < 6; invite++)
    expect((await client.attempt("createUser", { body: { email: anEmail(), fullName: "Ivy Invited", role: "staff" } })).status).toBe(200);
});
