import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT, type JSONWebKeySet } from "jose";
import { Client } from "pg";
import { migrate, openDatabase } from "@freehold/kit/db/database";
import { running } from "../../../../../test/support/running.ts";
import { database as definition } from "../../database.ts";
import { loadSigningKeys, type SigningKeys } from "./signing-keys.ts";
import { signingKeyVault } from "./signing-key-vault.ts";

/** Database of this file alone, since the keys of the running system sign the tokens of the other tests. */
const NAME = "signing_keys_test";
const { adminUrl, databaseUrls } = running();
const urlOf = (url: string) => Object.assign(new URL(url), { pathname: `/${NAME}` }).href;
const admin = new Client({ connectionString: adminUrl });
const owner = new Client({ connectionString: urlOf(databaseUrls.identity.owner) });
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  await admin.connect();
  const role = (url: string) => new URL(url).username;
  await admin.query(`create database ${NAME} owner ${role(databaseUrls.identity.owner)}`);
  await migrate(definition, urlOf(databaseUrls.identity.owner), role(databaseUrls.identity.service));
  await owner.connect();
  database = await openDatabase(definition, urlOf(databaseUrls.identity.service), 4);
});
afterAll(async () => {
  await database.close();
  await owner.end();
  await admin.query(`drop database ${NAME}`);
  await admin.end();
});
beforeEach(() => owner.query("delete from signing_key"));

const newSecret = () => randomBytes(32).toString("base64");
const secret = newSecret();
/** Loads the keys as a starting replica. */
const load = (assertionKey = secret) => loadSigningKeys(database, signingKeyVault(assertionKey));
const age = (interval: string) =>
  owner.query("update signing_key set signs_from = signs_from - $1::interval, retires_at = retires_at - $1::interval", [interval]);
const readKeys = async () => (await owner.query("select * from signing_key order by signs_from")).rows;
const publishedIds = async (keys: SigningKeys) => (await keys.published()).map(({ kid }) => kid);
const sign = async (keys: SigningKeys) => {
  const { kid, key } = keys.current();
  return new SignJWT({}).setProtectedHeader({ alg: "EdDSA", kid }).sign(key);
};
const isAccepted = async (keys: SigningKeys, token: string) =>
  jwtVerify(token, createLocalJWKSet({ keys: await keys.published() } as unknown as JSONWebKeySet)).then(
    () => true,
    () => false,
  );

describe("the signing keys", () => {
  test("are created once by concurrent first starts, and stored without the private half", async () => {
    const replicas = await Promise.all(Array.from({ length: 5 }, () => load()));
    expect(new Set(replicas.map((keys) => keys.current().kid)).size).toBe(1);
    const [stored, ...others] = await readKeys();
    expect(others).toEqual([]);
    const privateKey = signingKeyVault(secret).open(stored.sealed_key)!;
    expect(privateKey.d).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(stored)).not.toContain(privateKey.d);
    expect(stored.private_key).toEqual(stored.public_key);
    expect(await isAccepted(replicas[0]!, await sign(replicas[1]!))).toBe(true);
  });

  test("that a former version stored as they are, are encrypted at the next start and stay in use", async () => {
    const { privateKey: key } = await generateKeyPair("EdDSA", { extractable: true });
    const clear = await exportJWK(key);
    const { d, ...publicKey } = clear;
    await owner.query("insert into signing_key (kid, private_key, public_key, created_at, signs_from) values ('earlier', $1, $2, now(), now())", [
      JSON.stringify(clear),
      JSON.stringify(publicKey),
    ]);
    const keys = await load();
    expect(keys.current().kid).toBe("earlier");
    expect(await isAccepted(keys, await sign(keys))).toBe(true);
    expect(JSON.stringify(await readKeys())).not.toContain(d);
  });

  test("rotate: the next one is published before it signs, and tokens of the former one are accepted for twenty minutes afterwards", async () => {
    const before = await load();
    const { kid: former } = before.current();
    const token = await sign(before);
    await age("29 days 23 hours 30 minutes");
    expect(await publishedIds(await load())).toEqual([former]);
    await age("15 minutes");
    const [ahead, concurrent] = await Promise.all([load(), load()]);
    const [next] = (await publishedIds(ahead)).filter((kid) => kid !== former);
    expect(next).toBeDefined();
    expect([ahead.current().kid, concurrent.current().kid, (await readKeys()).length]).toEqual([former, former, 2]);
    await age("21 minutes");
    const after = await load();
    expect(after.current().kid).toBe(next);
    expect([await isAccepted(after, token), await isAccepted(after, await sign(after))]).toEqual([true, true]);
    await age("20 minutes");
    expect([await isAccepted(after, token), await publishedIds(after)]).toEqual([false, [next]]);
  });

  test("are read again by a replica that was idle during a rotation, before it signs", async () => {
    const idle = await loadSigningKeys(database, signingKeyVault(secret), { maxAgeMs: 0 });
    const { kid: former } = idle.current();
    await age("29 days 23 hours 45 minutes");
    const active = await load();
    await age("45 minutes");
    await Promise.all([idle.refresh(), idle.refresh()]);
    expect(idle.current().kid).not.toBe(former);
    expect(await isAccepted(active, await sign(idle))).toBe(true);
  });

  test("that are known serve while they cannot be read", async () => {
    const other = await openDatabase(definition, urlOf(databaseUrls.identity.service), 4);
    const keys = await loadSigningKeys(other, signingKeyVault(secret), { maxAgeMs: 0 });
    await other.close();
    await keys.refresh();
    expect(await isAccepted(await load(), await sign(keys))).toBe(true);
  });

  test("are deleted after their retirement, and one that an operator retires is replaced", async () => {
    const { kid: stolen } = (await load()).current();
    await owner.query("update signing_key set retires_at = now()");
    const keys = await load();
    const { kid: successor } = keys.current();
    expect(successor).not.toBe(stolen);
    expect(await publishedIds(keys)).toEqual([successor]);
    expect((await readKeys()).map(({ kid }) => kid)).toEqual([successor]);
  });

  test("of another assertion key are published, and do not sign", async () => {
    const before = await load();
    const token = await sign(before);
    const after = await load(newSecret());
    expect(after.current().kid).not.toBe(before.current().kid);
    expect([await isAccepted(after, token), await isAccepted(before, await sign(after))]).toEqual([true, true]);
  });
});
