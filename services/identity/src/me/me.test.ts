import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { startIdentity } from "../../test/process.ts";

describe("getMe", () => {
  test("returns the caller, the organization and the permitted operations", async () => {
    const office = await anOffice();
    const me = await office.call("getMe");
    expect(me.user).toMatchObject({ id: office.userId, email: office.email, role: "admin" });
    expect(me.organization).toMatchObject({ id: office.organizationId, timezone: "America/New_York" });
    expect(me.permissions).toEqual(expect.arrayContaining(["createUser", "getMe", "login"]));
  });

  test("returns the permissions of the caller's role", async () => {
    const office = await anOffice();
    const [manager, staff] = [await office.colleague("manager"), await office.colleague("staff")];
    const permissions = async (client: Client) => (await client.call("getMe")).permissions;
    expect(await permissions(manager)).toEqual(expect.arrayContaining(["listUsers", "getOrganization"]));
    expect(await permissions(manager)).not.toContain("createUser");
    expect(await permissions(staff)).not.toContain("listUsers");
  });

  test("requires a token", async () => {
    const response = await new Client(running().baseUrl).attempt("getMe");
    expect(response.status).toBe(401);
    expect(response.body.code).toBe("token_missing");
  });
});

describe("getSigningKeys", () => {
  test("returns public keys only", async () => {
    const { keys } = await new Client(running().baseUrl).call("getSigningKeys");
    expect(keys.length).toBeGreaterThanOrEqual(1);
    for (const key of keys) expect(key).toEqual({ kty: "OKP", crv: "Ed25519", x: expect.any(String), kid: expect.any(String), alg: "EdDSA", use: "sig" });
  });

  test("returns the same keys from every replica", async () => {
    const { keys } = await new Client(running().baseUrl).call("getSigningKeys");
    const replicas = await Promise.all([startIdentity({}), startIdentity({})]);
    try {
      for (const { client } of replicas) expect((await client.call("getSigningKeys")).keys).toEqual(keys);
    } finally {
      await Promise.all(replicas.map(({ stop }) => stop()));
    }
  });
});
