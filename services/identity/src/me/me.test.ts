import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { startIdentity } from "../../test/process.ts";

describe("getMe", () => {
  test("answers who is asking, where, and what they may call", async () => {
    const office = await anOffice();
    const me = await office.call("getMe");
    expect(me.user).toMatchObject({ id: office.userId, email: office.email, role: "admin" });
    expect(me.organization).toMatchObject({ id: office.organizationId, timezone: "America/New_York" });
    expect(me.permissions).toEqual(expect.arrayContaining(["createUser", "getMe", "login"]));
  });

  test("tells each role its own permissions", async () => {
    const office = await anOffice();
    const [manager, staff] = [await office.colleague("manager"), await office.colleague("staff")];
    const permissions = async (who: Client) => (await who.call("getMe")).permissions;
    expect(await permissions(manager)).toEqual(expect.arrayContaining(["listUsers", "getOrganization"]));
    expect(await permissions(manager)).not.toContain("createUser");
    expect(await permissions(staff)).not.toContain("listUsers");
  });

  test("needs a token", async () => {
    const answer = await new Client(running().baseUrl).attempt("getMe");
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe("token_missing");
  });
});

describe("getSigningKeys", () => {
  test("publishes public halves only", async () => {
    const { keys } = await new Client(running().baseUrl).call("getSigningKeys");
    expect(keys.length).toBeGreaterThanOrEqual(1);
    for (const key of keys) expect(key).toEqual({ kty: "OKP", crv: "Ed25519", x: expect.any(String), kid: expect.any(String), alg: "EdDSA", use: "sig" });
  });

  test("another replica has the same keys and makes none", async () => {
    const { keys } = await new Client(running().baseUrl).call("getSigningKeys");
    const replicas = await Promise.all([startIdentity({}), startIdentity({})]);
    try {
      for (const { client } of replicas) expect((await client.call("getSigningKeys")).keys).toEqual(keys);
    } finally {
      await Promise.all(replicas.map(({ stop }) => stop()));
    }
  });
});
