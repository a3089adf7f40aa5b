/** Jobs that process the work due today in the organization's time zone. */
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../clients.ts";
import { orUndefinedIfUnavailable } from "@freehold/kit/rpc/optional-calls";

const MAX_DELAY_MS = 3_600_000;
/** Delay of the next attempt while identity, which knows the time zone, is unavailable. */
const UNAVAILABLE_DELAY_MS = 5_000;

/**
 * Creates a job from `work`, which processes everything due by `day` and returns the next day with work, if any. The job runs
 * again when that day begins, and at the latest after an hour.
 */
export const calendarJob =
  (clients: Clients, work: (db: OrgDb, day: string) => Promise<string | undefined>): Job =>
  async (systemDb) => {
    const organization = await orUndefinedIfUnavailable(clients.identity.getOrganization(systemDb, {}));
    if (!organization) return new Date(now().getTime() + UNAVAILABLE_DELAY_MS);
    const { timezone } = organization;
    const nextDay = await work(new OrgDb(systemDb.database, { ...systemDb.principal, timezone }, systemDb.request), today(timezone));
    const latestRunMs = now().getTime() + MAX_DELAY_MS;
    return new Date(nextDay ? Math.min(startOfDay(nextDay, timezone).getTime(), latestRunMs) : latestRunMs);
  };
