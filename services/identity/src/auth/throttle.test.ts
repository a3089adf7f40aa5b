import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { running } from "../../../../test/support/running.ts";
import { throttle } from "./throttle.ts";

const pool = new pg.Pool({ connectionString: running().databaseUrls.identity.service });
afterAll(() => pool.end());

const rateLimitedError = expect.objectContaining({ status: 429, code: "rate_limited", headers: { "Retry-After": expect.stringMatching(/^(89\d|900)$/) } });
const anEmail = () => `${randomUUID()}@example.com`;

describe("throttle", () => {
  test("limits an account after too many wrong passwords, and no other account", async () => {
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
  test("refuses the 51st attempt from one address", async () => {
    const limits = throttle({ pool }, 10);
    const address = randomUUID();
    for (let tries = 0; tries < 50; tries++) await limits.countAddress(address);
    await expect(limits.countAddress(address)).rejects.toEqual(rateLimitedError);
    await limits.countAddress(randomUUID());
  });
  test("limits e-mails per address, counted separately from wrong passwords", async () => {
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
    for (let tries = 0; tries < 100; tries++) {
      await limits.countAddress(email);
      await limits.countFailure(email);
      await limits.countMail(email);
    }
    await limits.requireAttemptsLeft(email);
  });
  test("stores neither client addresses nor e-mail addresses in plain text", async () => {
    const email = anEmail();
    await throttle({ pool }, 3).countFailure(email);
    const { rowCount } = await pool.query("select from sign_in_tries where key like '%' || $1 || '%'", [email]);
    expect(rowCount).toBe(0);
  });
});
