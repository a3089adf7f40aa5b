import { expect, test } from "@jest/globals";
import { systemPrincipal } from "../auth/principal.ts";
import { OrgDb, readTurns, type Database } from "../db/org-db.ts";
import { expiryJob } from "./expiry.ts";

const db = new OrgDb({ readTurns: readTurns(1), constraints: {} } as Database, systemPrincipal("0197a000-0000-7000-8000-000000000001"));

test("a row whose expiry fails holds up no other row, and the job fails, so that it runs again", async () => {
  const row = (id: string, minutesFromNow: number) => ({ id, expiresAt: new Date(Date.now() + minutesFromNow * 60_000).toISOString() });
  const later = row("not due", 5);
  let pending = [row("failing", -3), row("second", -2), row("third", -1), later];
  let isFailing = true;
  const job = expiryJob({
    findNext: (_db, limit) => Promise.resolve(pending.slice(0, limit)),
    expire: (_db, { id }) => {
      if (id === "failing" && isFailing) return Promise.reject(new Error("This row cannot be expired."));
      pending = pending.filter((candidate) => candidate.id !== id);
      return Promise.resolve();
    },
  });
  await expect(job(db)).rejects.toThrow("This row cannot be expired.");
  expect(pending.map(({ id }) => id)).toEqual(["failing", "not due"]);
  isFailing = false;
  expect((await job(db)).toISOString()).toBe(later.expiresAt);
  expect(pending).toEqual([later]);
});
