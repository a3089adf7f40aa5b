import { createHash, randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { running } from "../../../../test/support/running.ts";
import { throttle } from "./throttle.ts";

const pool = new pg.Pool({ connectionString: running().databaseUrls.identity.service });
afterAll(() => pool.end());

const rateLimitedError = expect.objectContaining({ status: 429, code: "rate_limited", headers: { "Retry-After": expect.stringMatching(/^([78]\d\d|900)$/) } });
const anEmail = () => `${randomUUID()}@example.com`;

const anAddress = () => randomUUID();
const limitsOf = (attempts: number, mailsPerDay = 10) => throttle({ pool }, { attempts, mailsPerDay });

describe("throttle", () => {
  test("limits an account from an address after too many wrong passwords, but neither from another address nor another account", async () => {
    const limits = limitsOf(2);
    const [login, address] = [anEmail(), anAddress()];
    await limits.countFailure({ login, clientAddress: address });
    await limits.requireAttemptsLeft({ login, clientAddress: address });
    await limits.countFailure({ login, clientAddress: address });
    await expect(limits.requireAttemptsLeft({ login, clientAddress: address })).rejects.toEqual(rateLimitedError);
    await limits.requireAttemptsLeft({ login, clientAddress: anAddress() });
    await limits.requireAttemptsLeft({ login: anEmail(), clientAddress: address });
  });
  test("limits an account from all addresses together after ten times as many, except for a known device with a limit of its own", async () => {
    const limits = limitsOf(1);
    const login = anEmail();
    for (let attempt = 0; attempt < 9; attempt++) await limits.countFailure({ login, clientAddress: anAddress() });
    await limits.requireAttemptsLeft({ login, clientAddress: anAddress() });
    await limits.countFailure({ login, clientAddress: anAddress() });
    await expect(limits.requireAttemptsLeft({ login, clientAddress: anAddress() })).rejects.toEqual(rateLimitedError);
    const device = { login, clientAddress: anAddress(), separateCounter: randomUUID() };
    await limits.requireAttemptsLeft(device);
    await limits.countFailure(device);
    await expect(limits.requireAttemptsLeft({ ...device, clientAddress: anAddress() })).rejects.toEqual(rateLimitedError);
    await limits.requireAttemptsLeft({ ...device, separateCounter: randomUUID() });
    await limits.resetAccount(login);
    await limits.requireAttemptsLeft({ login, clientAddress: anAddress() });
  });
  test("counts the failures of each account with an address apart", async () => {
    const limits = limitsOf(1);
    const [login, address] = [anEmail(), anAddress()];
    const [first, second] = [randomUUID(), randomUUID()].map((userId) => ({ login, userId, clientAddress: address }));
    await limits.countFailure(first!);
    expect([Number(await limits.secondsToWait(first!)) > 800, await limits.secondsToWait(second!)]).toEqual([true, undefined]);
    await limits.resetFailures(second!);
    await expect(limits.requireAttemptsLeft(first!)).rejects.toEqual(rateLimitedError);
    await limits.requireAttemptsLeft({ login, clientAddress: address });
    for (let failure = 0; failure < 9; failure++) await limits.countFailure({ ...first!, clientAddress: anAddress() });
    await expect(limits.requireAttemptsLeft({ ...first!, clientAddress: anAddress() })).rejects.toEqual(rateLimitedError);
    await limits.resetAccount(login, first!.userId);
    await limits.requireAttemptsLeft({ ...first!, clientAddress: anAddress() });
  });
  test("limits the wrong secrets of a service key by network, and those of all keys from one, but not from all networks together", async () => {
    const limits = limitsOf(2);
    const aKey = (address: string, login = anEmail()) => ({ login, clientAddress: address, isKey: true });
    const [address, other] = [anAddress(), anAddress()];
    const attempt = aKey(address);
    for (let failure = 0; failure < 25; failure++) await limits.countFailure({ ...attempt, clientAddress: anAddress() });
    for (let failure = 0; failure < 2; failure++) await limits.countFailure(attempt);
    await expect(limits.requireAttemptsLeft(attempt)).rejects.toEqual(rateLimitedError);
    await limits.requireAttemptsLeft(aKey(address));
    for (let failure = 0; failure < 48; failure++) await limits.countFailure(aKey(address));
    await expect(limits.requireAttemptsLeft(aKey(address))).rejects.toEqual(rateLimitedError);
    await limits.requireAttemptsLeft(aKey(other, attempt.login));
  });
  test("counts a known device apart from its client address", async () => {
    const limits = limitsOf(1);
    const deviceId = randomUUID();
    for (let attempt = 0; attempt < 50; attempt++) await limits.countDeviceAttempt(deviceId);
    await expect(limits.countDeviceAttempt(deviceId)).rejects.toEqual(rateLimitedError);
    await limits.countDeviceAttempt(randomUUID());
  });
  test("limits the invites of all unconfirmed organizations to a recipient in a day", async () => {
    const limits = limitsOf(1, 2);
    const email = anEmail();
    for (let invite = 0; invite < 2; invite++) expect(await limits.countUnconfirmedInvite(email)).toBeUndefined();
    expect(await limits.countUnconfirmedInvite(email)).toBeGreaterThan(86_000);
    expect(await limits.countUnconfirmedInvite(anEmail())).toBeUndefined();
  });
  test("counts the addresses of one IPv6 network together", async () => {
    const limits = limitsOf(2);
    const login = anEmail();
    for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2"]) await limits.countFailure({ login, clientAddress: address });
    await expect(limits.requireAttemptsLeft({ login, clientAddress: "2001:db8:1:2::3" })).rejects.toEqual(rateLimitedError);
    await limits.requireAttemptsLeft({ login, clientAddress: "2001:db8:1:3::1" });
  });
  test("counts the attempts of all replicas together", async () => {
    const replicas = [limitsOf(4), limitsOf(4)];
    const attempt = { login: anEmail(), clientAddress: anAddress() };
    await Promise.all([...replicas, ...replicas].map((replica) => replica.countFailure(attempt)));
    for (const replica of replicas) await expect(replica.requireAttemptsLeft(attempt)).rejects.toEqual(rateLimitedError);
  });
  test("resets the failures from the address after a correct password", async () => {
    const limits = limitsOf(1);
    const attempt = { login: anEmail(), clientAddress: anAddress() };
    await limits.countFailure(attempt);
    await limits.resetFailures(attempt);
    await limits.requireAttemptsLeft(attempt);
  });
  test("refuses the 51st attempt from one client address, but not an attempt from another", async () => {
    const limits = limitsOf(10);
    const address = anAddress();
    for (let attempt = 0; attempt < 50; attempt++) await limits.countClientAttempt(address);
    await expect(limits.countClientAttempt(address)).rejects.toEqual(rateLimitedError);
    await limits.countClientAttempt(anAddress());
  });
  test("limits e-mails per recipient and requesting address, so that nobody else uses up the recipient's", async () => {
    const limits = limitsOf(2);
    const [email, address] = [anEmail(), anAddress()];
    await limits.countMail(email, address);
    await limits.countMail(email, address);
    await expect(limits.countMail(email, address)).rejects.toEqual(rateLimitedError);
    await limits.requireAttemptsLeft({ login: email, clientAddress: address });
    await limits.countMail(email, anAddress());
    await limits.countMail(anEmail(), address);
  });
  test("limits all e-mails to a recipient at ten times as many", async () => {
    const limits = limitsOf(1);
    const email = anEmail();
    for (let mail = 0; mail < 10; mail++) expect(await limits.countMailToRecipient(email)).toBe(true);
    expect([await limits.countMailToRecipient(email), await limits.countMailToRecipient(anEmail())]).toEqual([false, true]);
  });
  test("limits the e-mails of a kind from an organization to a recipient in a day, 0 for no limit", async () => {
    const [email, organizationId] = [anEmail(), randomUUID()];
    const limits = limitsOf(1, 2);
    for (let mail = 0; mail < 2; mail++) expect(await limits.countDailyMail(organizationId, email, "user")).toBeUndefined();
    expect(await limits.countDailyMail(organizationId, email, "user")).toBeGreaterThan(86_000);
    expect(await limits.countDailyMail(organizationId, email, "tenant")).toBeUndefined();
    expect(await limits.countDailyMail(randomUUID(), email, "user")).toBeUndefined();
    expect(await limitsOf(1, 0).countDailyMail(organizationId, email, "user")).toBeUndefined();
  });
  test("disables all limits with 0", async () => {
    const limits = limitsOf(0, 1);
    const attempt = { login: anEmail(), clientAddress: anAddress() };
    for (let count = 0; count < 100; count++) {
      await limits.countClientAttempt(attempt.clientAddress);
      await limits.countFailure(attempt);
      await limits.countMail(attempt.login, attempt.clientAddress);
      expect([await limits.countMailToRecipient(attempt.login), await limits.countDailyMail("organization", attempt.login, "user")]).toEqual([true, undefined]);
    }
    await limits.requireAttemptsLeft(attempt);
  });
  test("stores neither client addresses nor e-mail addresses in plain text", async () => {
    const [email, address] = [anEmail(), anAddress()];
    const limits = limitsOf(3);
    await limits.countFailure({ login: email, clientAddress: address });
    await limits.countClientAttempt(address);
    const countKeysWith = async (text: string) => (await pool.query("select from sign_in_tries where key like '%' || $1 || '%'", [text])).rowCount;
    for (const text of [email, address]) {
      expect(await countKeysWith(text)).toBe(0);
      expect(await countKeysWith(createHash("sha256").update(text).digest("base64url"))).toBe(1);
    }
  });
  test("answers 503 while the database is unreachable", async () => {
    const unreachable = new pg.Pool({ host: "127.0.0.1", port: 1 });
    const limits = throttle({ pool: unreachable }, { attempts: 1, mailsPerDay: 1 });
    const error = expect.objectContaining({ status: 503, code: "service_unavailable" });
    await expect(limits.countClientAttempt(anAddress())).rejects.toEqual(error);
    await expect(limits.requireAttemptsLeft({ login: anEmail(), clientAddress: anAddress() })).rejects.toEqual(error);
    await unreachable.end();
  });
});
