import { createHash, randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { running } from "../../../../test/support/running.ts";
import { throttle } from "./throttle.ts";

const pool = new pg.Pool({ connectionString: running().databaseUrls.identity.service });
afterAll(() => pool.end());

const rateLimitedError = expect.objectContaining({ status: 429, code: "rate_limited", headers: { "Retry-After": expect.stringMatching(/^([78]\d\d|900)$/) } });
const anEmail = () => `${randomUUID()}@example.com`;

describe("throttle", () => {
  test("limits an account after too many wrong passwords, but no other account", async () => {
    const limits = throttle({ pool }, 2);
    const email = anEmail();
    await limits.countFailure(email);
    await limits.requireAttemptsLeft(email);
    await limits.countFailure(email);
    await expect(limits.requireAttemptsLeft(email)).rejects.toEqual(rateLimitedError);
    await limits.requireAttemptsLeft(anEmail());
  });
  test("counts the attempts of all replicas together", async () => {
    const replicas = [throttle({ pool }, 4), throttle({ pool }, 4)];
    const email = anEmail();
    await Promise.all([...replicas, ...replicas].map((replica) => replica.countFailure(email)));
    for (const replica of replicas) await expect(replica.requireAttemptsLeft(email)).rejects.toEqual(rateLimitedError);
  });
  test("resets the failures after a correct password", async () => {
    const limits = throttle({ pool }, 1);
    const email = anEmail();
    await limits.countFailure(email);
    await limits.resetFailures(email);
    await limits.requireAttemptsLeft(email);
  });
  test("refuses the 51st attempt from one client address, but not an attempt from another", async () => {
    const limits = throttle({ pool }, 10);
    const address = randomUUID();
    for (let attempt = 0; attempt < 50; attempt++) await limits.countClientAttempt(address);
    await expect(limits.countClientAttempt(address)).rejects.toEqual(rateLimitedError);
    await limits.countClientAttempt(randomUUID());
  });
  test("limits e-mails per e-mail address, counted separately from wrong passwords", async () => {
    const limits = throttle({ pool }, 2);
    const email = anEmail();
    await limits.countMail(email);
    await limits.countMail(email);
    await expect(limits.countMail(email)).rejects.toEqual(rateLimitedError);
    await limits.requireAttemptsLeft(email);
    await limits.countMail(anEmail());
  });
  test("disables all limits with 0", async () => {
    const limits = throttle({ pool }, 0);
    const email = anEmail();
    for (let attempt = 0; attempt < 100; attempt++) {
      await limits.countClientAttempt(email);
      await limits.countFailure(email);
      await limits.countMail(email);
    }
    await limits.requireAttemptsLeft(email);
  });
  test("stores neither client addresses nor e-mail addresses in plain text", async () => {
    const [email, address] = [anEmail(), randomUUID()];
    const limits = throttle({ pool }, 3);
    await limits.countFailure(email);
    await limits.countClientAttempt(address);
    const countKeysWith = async (text: string) => (await pool.query("select from sign_in_tries where key like '%' || $1 || '%'", [text])).rowCount;
    for (const text of [email, address]) {
      expect(await countKeysWith(text)).toBe(0);
      expect(await countKeysWith(createHash("sha256").update(text).digest("base64url"))).toBe(1);
    }
  });
});
