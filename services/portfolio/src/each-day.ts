/** Work that a new day brings to an organization, where the organization is. */
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { ifItAnswers } from "./asking.ts";
import type { Clients } from "./clients.ts";

const HOUR = 3_600_000;
const SOON = 5_000;

/** Does the work of a day and comes again when the next day begins that it names, within an hour whatever it says. */
export const eachDay =
  (ask: Clients, work: (db: OrgDb, day: string) => Promise<string | undefined>): Job =>
  async (system) => {
    const organization = await ifItAnswers(ask.identity.getOrganization(system, {}));
    if (!organization) return new Date(now().getTime() + SOON);
    const { timezone } = organization;
    const next = await work(new OrgDb(system.database, { ...system.principal, timezone }), today(timezone));
    const inAnHour = now().getTime() + HOUR;
    return new Date(next ? Math.min(startOfDay(next, timezone).getTime(), inAnHour) : inAnHour);
  };
