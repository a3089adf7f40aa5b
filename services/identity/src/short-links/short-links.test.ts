import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client as Postgres } from "pg";
import { Client } from "../../../../test/support/client.ts";
import { anEmail, anOffice, password, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { hashShortCode } from "./short-code.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
const anonymousClient = new Client(running().baseUrl);
const follow = (shortCode: string) => anonymousClient.raw("GET", `/api/i/${shortCode}`);
const shortCodeOf = (link: string | null) => new RegExp(`^${running().baseUrl}/api/i/(\\w{12})$`).exec(link ?? "")![1]!;
const anInvite = async () => {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  return office.call("createTenantInvite", { body: { tenantId: tenant.id, email: anEmail(), channels: ["email"] } });
};
/** Returns the rows of a statement as JSON. */
async function queryDatabase(statement: string, values: unknown[] = []): Promise<string> {
  const client = new Postgres({ connectionString: running().databaseUrls.identity.owner });
  await client.connect();
  const { rows } = await client.query(statement, values);
  await client.end();
  return JSON.stringify(rows);
}

describe("followShortLink", () => {
  test("redirects to the invite and forbids caching", async () => {
    const { inviteLink, shortInviteLink } = await anInvite();
    const response = await follow(shortCodeOf(shortInviteLink));
    expect([response.status, response.headers.get("location"), response.headers.get("cache-control")]).toEqual([302, inviteLink, "no-store"]);
  });
  test("redirects to the invite of each portal", async () => {
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail() } });
    const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor" } });
    const delivery = { email: anEmail(), channels: ["email" as const] };
    const responses = [
      await office.call("createOwnerInvite", { body: { ownerId: owner.id, ...delivery } }),
      await office.call("createVendorInvite", { body: { vendorId: vendor.id, ...delivery } }),
    ];
    for (const { inviteLink, shortInviteLink } of responses) expect((await follow(shortCodeOf(shortInviteLink))).headers.get("location")).toBe(inviteLink);
  });
  test("responds 404 once the invite is accepted, revoked, sent again or replaced", async () => {
    const params = ({ invite: { id } }: Awaited<ReturnType<typeof anInvite>>) => ({ id });
    const endings: Record<string, (created: Awaited<ReturnType<typeof anInvite>>) => Promise<unknown>> = {
      accepted: ({ invite }) => new Client(running().baseUrl).call("acceptInvite", { params: { token: invite.token! }, body: { password } }),
      revoked: (created) => office.call("revokeTenantInvite", { params: params(created) }),
      resent: (created) => office.call("resendTenantInvite", { params: params(created), body: { channels: ["email"] } }),
      replaced: ({ invite: { tenantId, email } }) => office.call("createTenantInvite", { body: { tenantId, email, channels: ["email"] } }),
    };
    for (const [ending, end] of Object.entries(endings)) {
      const created = await anInvite();
      const code = shortCodeOf(created.shortInviteLink);
      expect([ending, (await follow(code)).status]).toEqual([ending, 302]);
      await end(created);
      const { status, headers } = await follow(code);
      expect([ending, status, headers.get("location")]).toEqual([ending, 404, null]);
    }
  });
  test("responds 404 after the link has expired, and deletes the link with the next creation", async () => {
    const code = shortCodeOf((await anInvite()).shortInviteLink);
    // The oldest expired link, so that the next creation deletes it.
    await queryDatabase("update short_link set expires_at = '2000-01-01' where code_hash = $1", [hashShortCode(code)]);
    expect((await follow(code)).status).toBe(404);
    await anInvite();
    const stored = () => queryDatabase("select code_hash from short_link where code_hash = $1", [hashShortCode(code)]);
    await eventually("the deletion of the expired link", async () => (await stored()) === "[]");
    expect((await follow(code)).status).toBe(404);
  });
  test("responds 404 to any other code", async () => {
    const code = shortCodeOf((await anInvite()).shortInviteLink);
    const caseSwapped = code.replaceAll(/[A-Za-z]/g, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
    for (const other of [caseSwapped, `${code}0`, code.slice(1), "000000000000", "%2e%2e", "a b"]) {
      const { status, headers } = await follow(other);
      expect([other, status, headers.get("location")]).toEqual([other, 404, null]);
    }
  });
  test("stores neither the code nor the token", async () => {
    const { invite, shortInviteLink } = await anInvite();
    const stored = await queryDatabase("select * from short_link");
    expect(stored).toContain(hashShortCode(shortCodeOf(shortInviteLink))!);
    expect(stored).not.toContain(shortCodeOf(shortInviteLink));
    expect(stored).not.toContain(invite.token!.slice(2));
  });
});
