import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { conflict, unavailable } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import type { Clients } from "../clients.ts";
import { database as definition } from "../database.ts";
import { withPostingHold } from "./posting-hold.ts";

const LEASE_ID = "0197a000-0000-7000-8000-000000000001";
/** Job that no scheduler of the running system knows, so its requests stay in their table. */
const JOB = "jobOfHeldTransaction";
let database: Awaited<ReturnType<typeof openDatabase>>;
let db: OrgDb;
let released: string[];
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.portfolio.service, 2);
});
afterAll(() => database.close());
const clocks = [performance, Date];
const originals = clocks.map((clock) => clock.now);
afterEach(() => {
  clocks.forEach((clock, index) => (clock.now = originals[index]!));
});

/** Runs work under a hold of a ledger that records the releases. */
async function hold<T>(work: Parameters<typeof withPostingHold<T>>[3]): Promise<T> {
  released = [];
  db = new OrgDb(database, systemPrincipal((await anOffice()).organizationId));
  const ledger = {
    holdPostings: () => Promise.resolve({}),
    releasePostings: (_db: OrgDb, { holdId }: { holdId: string }) => Promise.resolve(released.push(holdId)),
  };
  return withPostingHold(db, { ledger } as unknown as Pick<Clients, "ledger">, [LEASE_ID], work);
}

/** Lets the next transaction commit without a response, as when the connection is lost at that moment. */
function loseResponseOfCommit(): void {
  const { em } = database.orm;
  const forkOf = em.fork.bind(em);
  em.fork = (options) => {
    em.fork = forkOf;
    const fork = forkOf(options);
    const commit = fork.transactional.bind(fork);
    fork.transactional = async (work, transactionOptions) => {
      await commit(work, transactionOptions);
      throw new Error("Connection terminated unexpectedly");
    };
    return fork;
  };
}

const countWritten = async () =>
  (await database.pool.query("select from work_request where job = $1 and organization_id = $2", [JOB, db.organizationId])).rowCount;

describe("a transaction whose postings are held", () => {
  test.each([
    { description: "after ten seconds", clock: performance, ms: 10_000, isCommitted: true },
    { description: "after the process was paused for a minute", clock: performance, ms: 60_000, isCommitted: false },
    { description: "after the virtual machine slept for a minute", clock: Date, ms: 60_000, isCommitted: false },
  ])("$description is committed: $isCommitted", async ({ clock, ms, isCommitted }) => {
    const deletion = hold(async (inHeldTransaction) => {
      const later = clock.now() + ms;
      clock.now = () => later;
      return inHeldTransaction((tx) => scheduleNow(tx, JOB));
    });
    if (isCommitted) await deletion;
    else await expect(deletion).rejects.toMatchObject({ status: 503, code: "service_unavailable" });
    expect(await countWritten()).toBe(isCommitted ? 1 : 0);
  });

  test.each([
    { description: "it is refused", error: conflict("The lease has charges.", "resource_in_use"), status: 409 },
    { description: "another service is unavailable", error: unavailable(new Error("no response")), status: 503 },
    { description: "the connection is lost before its commit", error: new Error("Connection terminated"), status: undefined },
  ])("gives the postings free when $description", async ({ error, status }) => {
    await expect(hold((inHeldTransaction) => inHeldTransaction(() => Promise.reject(error)))).rejects.toMatchObject(status ? { status } : {});
    expect(released).toHaveLength(1);
  });

  test("gives the postings free when it has not begun, and not when it may have committed", async () => {
    const committed = hold((inHeldTransaction) => {
      loseResponseOfCommit();
      return inHeldTransaction((tx) => scheduleNow(tx, JOB));
    });
    await expect(committed).rejects.toMatchObject({ status: 503 });
    expect([released, await countWritten()]).toEqual([[], 1]);
    await expect(hold(() => Promise.reject(new Error("The balances could not be read.")))).rejects.toThrow("balances");
    expect(released).toHaveLength(1);
  });
});
