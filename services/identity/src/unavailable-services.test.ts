import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { Client } from "../../../test/support/client.ts";
import { anEmail, anOffice, password, type Office } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { UNREACHABLE_ADDRESS } from "../../../test/support/service-process.ts";
import { assertionHeader } from "../test/assertion.ts";
import { ageInvites, readRows } from "../test/database.ts";
import { anInvitedUser } from "../test/invite.ts";
import { startIdentity, type IdentityReplica } from "../test/process.ts";
import { uuidToBytes } from "@freehold/kit/uuid";

const THREE_DAYS_SECONDS = 3 * 86_400;

/** Returns the texts of the e-mails to an address, newest first. */
const findEmailTexts = async (to: string) => (await new Client(running().baseUrl).call("listDevOutbox", { query: { to } })).messages.map(({ text }) => text);

/** Returns the day on which the organization's newest invite expires. */
async function newestInviteExpiryDay({ organizationId }: Office): Promise<string> {
  const expiries = (await readRows(organizationId, "user_invite")).map(({ expires_at }) => (expires_at as Date).toISOString());
  return expiries.toSorted().at(-1)!.slice(0, 10);
}

describe("while other services are unavailable", () => {
  let identity: IdentityReplica;
  beforeAll(async () => {
    identity = await startIdentity({ COMMUNICATIONS_GRPC: UNREACHABLE_ADDRESS, LEDGER_GRPC: UNREACHABLE_ADDRESS, PORTFOLIO_GRPC: UNREACHABLE_ADDRESS });
  });
  afterAll(() => identity?.stop());

  test("createUser creates the user and reports the failed e-mail", async () => {
    const office = await anOffice();
    const { status, body } = await identity.client.attempt("createUser", {
      body: { email: anEmail(), fullName: "Ivy Invited", role: "staff" },
      headers: await assertionHeader(office),
    });
    expect(status).toBe(200);
    expect(body.emailDelivery).toMatchObject({ provider: "email", status: "failed", error: "service_unavailable" });
    expect((await office.attempt("getUser", { params: { id: body.user.id } })).status).toBe(200);
  });

  test("a replay of createUser sends the failed e-mail with the expiry of the invite", async () => {
    const office = await anOffice();
    const request = { body: { email: anEmail(), fullName: "Ivy Invited", role: "staff" as const } };
    const idempotencyHeader = { "Idempotency-Key": randomUUID() };
    await identity.client.call("createUser", { ...request, headers: { ...idempotencyHeader, ...(await assertionHeader(office)) } });
    await ageInvites(office.organizationId, THREE_DAYS_SECONDS);
    const replay = await office.attempt("createUser", { ...request, headers: idempotencyHeader });
    expect([replay.headers.get("idempotent-replayed"), replay.body.emailDelivery]).toMatchObject(["true", { status: "sent" }]);
    expect(await findEmailTexts(request.body.email)).toEqual([expect.stringContaining(`works until ${await newestInviteExpiryDay(office)}.`)]);
  });

  test("a replay of resendUserInvite sends the failed e-mail with the expiry of the invite", async () => {
    const office = await anOffice();
    const { user, email } = await anInvitedUser(office);
    const request = { params: { id: user.id } };
    const idempotencyHeader = { "Idempotency-Key": randomUUID() };
    await identity.client.call("resendUserInvite", { ...request, headers: { ...idempotencyHeader, ...(await assertionHeader(office)) } });
    expect(await findEmailTexts(email)).toHaveLength(1);
    await ageInvites(office.organizationId, THREE_DAYS_SECONDS);
    const replay = await office.attempt("resendUserInvite", { ...request, headers: idempotencyHeader });
    expect([replay.status, replay.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    const [newestText, ...earlierTexts] = await findEmailTexts(email);
    expect(earlierTexts).toHaveLength(1);
    expect(newestText).toContain(`works until ${await newestInviteExpiryDay(office)}.`);
  });

  test("requestPasswordReset responds as usual, since the e-mail is sent after the response", async () => {
    const { email } = await anOffice();
    expect(await identity.client.call("requestPasswordReset", { body: { email } })).toEqual({ accepted: true });
  });

  test("signUp responds 503 and stores nothing", async () => {
    const body = { organizationName: "Elm Street", fullName: "Ada Admin", email: anEmail(), password };
    const { status, body: response } = await identity.client.attempt("signUp", { body });
    expect([status, response.code]).toEqual([503, "service_unavailable"]);
    const anonymousClient = new Client(running().baseUrl);
    expect((await anonymousClient.attempt("login", { body: { email: body.email, password } })).status).toBe(401);
    expect((await anonymousClient.attempt("signUp", { body })).status).toBe(200);
  });

  test("getInvite responds 503 for a portal invite", async () => {
    const office = await anOffice();
    const token = `t.${Buffer.concat([uuidToBytes(office.organizationId), Buffer.alloc(32)]).toString("base64url")}`;
    expect((await identity.client.attempt("getInvite", { params: { token } })).status).toBe(503);
  });
});
