import type { Output, QueryOf } from "@freehold/contract/operation";
import type { Proration, rentChanges } from "@freehold/contract/rent-changes";
import { addMonths } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { findLease } from "../leases.queries.ts";
import { rentSpans } from "./rent-change.rules.ts";
import { rentChangesOf } from "./rent-changes.queries.ts";

type Operation = (typeof rentChanges)["operations"]["getLeaseProration"];
const AT_MOST_MONTHS = 120;

/** What the rent of a lease, or another, costs from one day to another, by the organization's method: the ledger works it out, as it does what it charges. */
export async function getLeaseProration(db: OrgDb, ask: Clients, id: string, { from, to, rentCents }: QueryOf<Operation>): Promise<Output<Operation>> {
  const last = addMonths(from, AT_MOST_MONTHS);
  if (to > last) throw invalid([{ path: "to", code: "max", message: `to can be at most ${last}, ten years after from.` }]);
  const [lease, changes] = await Promise.all([findLease(db, id), rentChangesOf(db, id)]);
  const spans = rentCents === undefined ? rentSpans(lease.rentCents, changes, from, to) : [{ from, to, rentCents }];
  const { method, lines } = await ask.ledger.prorateRents(db, { spans });
  return { proration: summed(method as Proration["method"], lines as Proration["lines"]) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function summed(method: Proration["method"], lines: Proration["lines"]): Proration {
  const amountCents = sum(lines.map((line) => line.amountCents)) as Proration["amountCents"];
  if (!Number.isSafeInteger(amountCents)) throw invalid([{ path: "rentCents", code: "max", message: "rentCents is too much to be counted over these days." }]);
  const months = new Map(lines.map(({ from, daysInPeriod }) => [from.slice(0, 7), daysInPeriod]));
  const daysInPeriod = method === "annual_365" ? 365 : sum([...months.values()]);
  return { method, days: sum(lines.map(({ days }) => days)), daysInPeriod, amountCents, lines };
}
