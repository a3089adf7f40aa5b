import { beforeAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { Client } from "../../../../../test/support/client.ts";
import { anEmail, anOffice, password, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { findPublishedEvents } from "../../../test/database.ts";
import { uuidToBytes } from "@freehold/kit/uuid";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});

async function aTenantInvite(email = anEmail()) {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant", email } });
  const { invite, inviteLink } = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
  return { tenant, invite, email, token: inviteLink!.split("/").pop()! };
}
const anonymousClient = () => new Client(running().baseUrl);
const read = (token: string) => anonymousClient().attempt("getInvite", { params: { token } });
const accept = (token: string, body: object = {}) => anonymousClient().attempt("acceptInvite", { params: { token }, body: { password, ...body } });

describe("a portal invite", () => {
  test("returns the invited person, the organization and the status", async () => {
    const { token, email } = await aTenantInvite();
    expect((await read(token)).body.invite).toMatchObject({
      kind: "tenant",
      email,
      fullName: "Tess Tenant",
      organizationName: "Elm Street Management",
      status: "pending",
    });
  });

  test("creates a user with the tenant as subject", async () => {
    const { token, email, tenant, invite } = await aTenantInvite();
    const { status, body, headers } = await accept(token, { phone: "212-555-0123", smsConsent: true });
    expect(status).toBe(200);
    expect(headers.getSetCookie()[0]).toMatch(/^service_refresh_token=/);
    expect(body.user).toMatchObject({ email, role: "tenant", subjectId: tenant.id, fullName: "Tess Tenant", phone: "+12125550123" });
    expect(body.user).toMatchObject({ emailConfirmedAt: expect.any(String), smsConsent: { granted: true } });
    expect(decodeJwt(body.accessToken)).toMatchObject({ role: "tenant", subjectType: "tenant", subjectId: tenant.id });
    expect((await office.call("getTenant", { params: { id: tenant.id } })).tenant).toMatchObject({ userId: body.user.id, portalStatus: "active" });
    expect((await anonymousClient().attempt("login", { body: { email, password } })).status).toBe(200);

    const events = (await findPublishedEvents(office.organizationId)).filter(({ actorUserId }) => actorUserId === body.user.id);
    expect(events).toMatchObject([
      {
        type: "invite.accepted",
        entityId: invite.id,
        data: { kind: "tenant", subjectId: tenant.id, userId: body.user.id },
        audience: { roles: ["admin", "manager", "staff"], tenantIds: [tenant.id] },
      },
      { type: "user.created", entityId: body.user.id, data: { role: "tenant" }, audience: { tenantIds: [] } },
    ]);
  });

  test("can be accepted once", async () => {
    const { token } = await aTenantInvite();
    expect((await accept(token)).status).toBe(200);
    const second = await accept(token);
    expect([second.status, second.body.code]).toEqual([409, "invalid_transition"]);
    expect((await read(token)).body.invite.status).toBe("accepted");
  });

  test("is accepted once among twenty concurrent requests", async () => {
    const { token } = await aTenantInvite();
    const responses = await Promise.all(Array.from({ length: 20 }, () => accept(token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.code === "invalid_transition")).toHaveLength(19);
  });

  test("stays pending when the e-mail address has got another user since", async () => {
    const { token, email } = await aTenantInvite();
    await office.call("createUser", { body: { email, fullName: "Sam Staff", role: "staff" } });
    const { status, body } = await accept(token);
    expect([status, body.code]).toEqual([409, "duplicate"]);
    expect((await read(token)).body.invite.status).toBe("pending");
  });

  test("responds 404 after revocation", async () => {
    const { token, invite } = await aTenantInvite();
    await office.call("revokeTenantInvite", { params: { id: invite.id } });
    expect([(await read(token)).status, (await accept(token)).status]).toEqual([404, 404]);
  });

  test("responds 404 to a forged MAC or organization", async () => {
    const { token } = await aTenantInvite();
    const otherOffice = await anOffice();
    const bytes = Buffer.from(token.slice(2), "base64url");
    const withOtherOrganization = Buffer.concat([uuidToBytes(otherOffice.organizationId), bytes.subarray(16)]);
    const withWrongMac = Buffer.from(bytes);
    withWrongMac[bytes.length - 1]! ^= 1;
    for (const forged of [`t.${withWrongMac.toString("base64url")}`, `t.${withOtherOrganization.toString("base64url")}`]) {
      expect([(await read(forged)).status, (await accept(forged)).status]).toEqual([404, 404]);
    }
  });

  test("can be accepted after an attempt with an invalid password", async () => {
    const { token } = await aTenantInvite();
    expect((await accept(token, { password: "short" })).status).toBe(400);
    expect((await accept(token)).status).toBe(200);
  });

  test("creates a user whose role the office cannot change", async () => {
    const { token } = await aTenantInvite();
    const { body } = await accept(token);
    const params = { id: body.user.id };
    const refused = await office.attempt("updateUser", { params, body: { role: "admin" } });
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toMatchObject([{ path: "role", code: "not_allowed" }]);
    expect((await office.attempt("updateUser", { params, body: { isActive: false } })).status).toBe(200);
  });
});
