import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { running } from "../../../../test/support/running.ts";
import { throttle } from "./throttle.ts";

const pool = new pg.Pool({ connectionString: running().databaseUrls.identity.service });
afterAll(() => pool.end());

const refusal = expect.objectContaining({ status: 429, code: "rate_limited", headers: { "Retry-After": expect.stringMatching(/^(89\d|900)$/) } });
const anEmail = () => `${randomUUID()}@example.com`;

describe("throttle", () => {
  test("refuses an account after so many wrong passwords, and no other account", async () => {
    const limits = throttle({ pool }, 2);
    const email = anEmail();
    await limits.countFailure(email);
    await limits.requireAttemptsLeft(email);
    await limits.countFailure(email);
    await expect(limits.requireAttemptsLeft(email)).rejects.toEqual(refusal);
    await limits.requireAttemptsLeft(anEmail());
  });
  test("counts the tries that all replicas saw together", async () => {
    const replicas = [throttle({ pool }, 4), throttle({ pool }, 4)];
    const email = anEmail();
    await Promise.all([...replicas, ...replicas].map((replica) => replica.countFailure(email)));
    for (const replica of replicas) await expect(replica.requireAttemptsLeft(email)).rejects.toEqual(refusal);
  });
  test("forgets slips once the right password was given", async () => {
    const limits = throttle({ pool }, 1);
    const email = anEmail();
    await limits.countFailure(email);
    await limits.resetFailures(email);
    await limits.requireAttemptsLeft(email);
  });
  test("refuses the 51st try from one address", async () => {
    const limits = throttle({ pool }, 10);
    const address = randomUUID();
    for (let tries = 0; tries < 50; tries++) await limits.countAddress(address);
    await expect(limits.countAddress(address)).rejects.toEqual(refusal);
    await limits.countAddress(randomUUID());
  });
  test("refuses an address more mails than tries, and counts them apart from wrong passwords", async () => {
    const limits = throttle({ pool }, 2);
    const email = anEmail();
    await limits.countMail(email);
    await limits.countMail(email);
    await expect(limits.countMail(email)).rejects.toEqual(refusal);
    await limits.requireAttemptsLeft(email);
    await limits.countMail(anEmail());
  });
  test("0 turns all of it off", async () => {
    const limits = throttle({ pool }, 0);
    const email = anEmail();
    for (let tries = 0; tries < 100; tries++) {
      await limits.countAddress(email);
      await limits.countFailure(email);
      await limits.countMail(email);
    }
    await limits.requireAttemptsLeft(email);
  });
  test("keeps no address and no e-mail that anybody could read", async () => {
    const email = anEmail();
    await throttle({ pool }, 3).countFailure(email);
    const { rowCount } = await pool.query("select from sign_in_tries where key like '%' || $1 || '%'", [email]);
    expect(rowCount).toBe(0);
  });
});
