/** Work over time, once a day for each organization as its day begins. */
import { today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";
import { rulesOf } from "./settings/ledger-settings.ts";
import { announceOverdueCharges, nextMidnight } from "./receivables/charges/overdue.ts";
import { postDueCharges } from "./receivables/charges/post-due.ts";
import type { Clients } from "./clients.ts";
import { gatherMerged } from "./projections/merges.ts";
import { lockRules, move } from "./receivables/recurring-charges/recurring-charges.ts";

export const jobs = (clients: Clients): Record<string, Job> => ({
  postDueCharges: async (db) => {
    const { timezone } = await rulesOf(db);
    await postDueCharges(db, clients, { dryRun: false });
    await endPassedRules(db, today(timezone));
    return nextMidnight(timezone);
  },
  announceOverdueCharges,
  gatherMerged,
});

/** A rule whose last day has passed and is charged has ended. */
const endPassedRules = (db: OrgDb, day: string): Promise<void> =>
  transaction(db, async (tx) => {
    const passed = await lockRules(tx, sql`status in ('active', 'paused') and end_date < ${day}`);
    for (const rule of passed) await move(tx, rule, "ended");
  });
