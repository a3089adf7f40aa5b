import { describe, expect, test } from "@jest/globals";
import { ASSERTION_HEADER, createAssertions } from "@freehold/kit/auth/assertion";
import type { Principal } from "@freehold/kit/auth/principal";
import { Client } from "../../../test/support/client.ts";
import { anEmail, anOffice, password } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { startIdentity } from "../test/process.ts";
import { uuidToBytes } from "@freehold/kit/uuid";

const UNREACHABLE = "127.0.0.1:1";
const { ASSERTION_KEY, ASSERTION_PUBLIC_KEYS } = running().ledgerEnvironment as Record<string, string>;
const assertions = createAssertions("ledger", ASSERTION_KEY!, JSON.parse(ASSERTION_PUBLIC_KEYS!) as Record<string, string>);

describe("while other services are unavailable", () => {
  test("createUser creates the user and reports the failed e-mail", async () => {
    const office = await anOffice();
    const principal: Principal = { organizationId: office.organizationId, userId: office.userId, role: "admin", subjectId: null, timezone: "UTC" };
    const identity = await startIdentity({ COMMUNICATIONS_GRPC: UNREACHABLE });
    try {
      const { status, body } = await identity.client.attempt("createUser", {
        body: { email: anEmail(), fullName: "Ivy Invited", role: "staff" },
        headers: { [ASSERTION_HEADER]: await assertions.sign(principal) },
      });
      expect(status).toBe(200);
      expect(body.emailDelivery).toMatchObject({ provider: "email", status: "failed", error: expect.stringContaining("invite link") });
      expect((await office.attempt("getUser", { params: { id: body.user.id } })).status).toBe(200);
    } finally {
      await identity.stop();
    }
  });

  test("requestPasswordReset responds as usual, since the e-mail is sent after the response", async () => {
    const { email } = await anOffice();
    const identity = await startIdentity({ COMMUNICATIONS_GRPC: UNREACHABLE });
    try {
      expect(await identity.client.call("requestPasswordReset", { body: { email } })).toEqual({ accepted: true });
    } finally {
      await identity.stop();
    }
  });

  test("signUp responds 503 and stores nothing", async () => {
    const identity = await startIdentity({ LEDGER_GRPC: UNREACHABLE });
    const body = { organizationName: "Elm Street", fullName: "Ada Admin", email: anEmail(), password };
    try {
      const { status, body: response } = await identity.client.attempt("signUp", { body });
      expect([status, response.code]).toEqual([503, "service_unavailable"]);
    } finally {
      await identity.stop();
    }
    const anonymousClient = new Client(running().baseUrl);
    expect((await anonymousClient.attempt("login", { body: { email: body.email, password } })).status).toBe(401);
    expect((await anonymousClient.attempt("signUp", { body })).status).toBe(200);
  });

  test("getInvite responds 503 for a portal invite", async () => {
    const office = await anOffice();
    const identity = await startIdentity({ PORTFOLIO_GRPC: UNREACHABLE });
    const token = `t.${Buffer.concat([uuidToBytes(office.organizationId), Buffer.alloc(32)]).toString("base64url")}`;
    try {
      expect((await identity.client.attempt("getInvite", { params: { token } })).status).toBe(503);
    } finally {
      await identity.stop();
    }
  });
});
