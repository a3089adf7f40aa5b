import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client as Postgres } from "pg";
import { Client } from "../../../../test/support/client.ts";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
const anonymousClient = new Client(running().baseUrl);
const follow = (shortCode: string) => anonymousClient.raw("GET", `/api/i/${shortCode}`);
const codeIn = (link: string | null) => new RegExp(`^${running().baseUrl}/api/i/(\\w{12})$`).exec(link ?? "")![1]!;
const anInvite = async () => {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
  return office.call("createTenantInvite", { body: { tenantId: tenant.id, email: anEmail(), channels: ["email"] } });
};
async function inDatabase(statement: string): Promise<string> {
  const client = new Postgres({ connectionString: running().databaseUrls.identity.owner });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return JSON.stringify(rows);
}

describe("followShortLink", () => {
  test("leads to the invite, and nobody keeps where", async () => {
    const { inviteLink, shortInviteLink } = await anInvite();
    const answer = await follow(codeIn(shortInviteLink));
    expect([answer.status, answer.headers.get("location"), answer.headers.get("cache-control")]).toEqual([302, inviteLink, "no-store"]);
  });
  test("leads to the page of an invite of each portal", async () => {
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail() } });
    const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor" } });
    const to = { email: anEmail(), channels: ["email" as const] };
    const answers = [
      await office.call("createOwnerInvite", { body: { ownerId: owner.id, ...to } }),
      await office.call("createVendorInvite", { body: { vendorId: vendor.id, ...to } }),
    ];
    for (const { inviteLink, shortInviteLink } of answers) expect((await follow(codeIn(shortInviteLink))).headers.get("location")).toBe(inviteLink);
  });
  test("knows a code no more once the invite has expired", async () => {
    const code = codeIn((await anInvite()).shortInviteLink);
    await inDatabase("update short_link set expires_at = now()");
    expect((await follow(code)).status).toBe(404);
    // Each new link lets old ones go.
    await anInvite();
    expect((await follow(code)).status).toBe(404);
  });
  test("knows no other code", async () => {
    const code = codeIn((await anInvite()).shortInviteLink);
    const swapped = code.replaceAll(/[A-Za-z]/g, (sign) => (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase()));
    for (const other of [swapped, `${code}0`, code.slice(1), "000000000000", "%2e%2e", "a b"]) {
      const { status, headers } = await follow(other);
      expect([other, status, headers.get("location")]).toEqual([other, 404, null]);
    }
  });
  test("a copy of the database opens nothing", async () => {
    const { invite, shortInviteLink } = await anInvite();
    const kept = await inDatabase("select * from short_link");
    expect(kept).not.toContain(codeIn(shortInviteLink));
    expect(kept).not.toContain(invite.token!.slice(2));
  });
});
