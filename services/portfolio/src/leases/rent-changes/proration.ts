import type { Output, QueryOf } from "@freehold/contract/operation";
import type { Proration, rentChanges } from "@freehold/contract/leases/rent-changes";
import { addMonths } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { getLeaseRow } from "../leases.queries.ts";
import { rentPeriods } from "./rent-change.rules.ts";
import { findLeaseRentChanges } from "./rent-changes.queries.ts";

type Operation = (typeof rentChanges)["operations"]["getLeaseProration"];
const MAX_MONTHS = 120;

/** Prorates the rent of a lease, or a given rent, over a range of days. The ledger applies the organization's proration method, as for charges. */
export async function getLeaseProration(db: OrgDb, clients: Clients, id: string, { from, to, rentCents }: QueryOf<Operation>): Promise<Output<Operation>> {
  const lastDay = addMonths(from, MAX_MONTHS);
  if (to > lastDay) throw invalid([{ path: "to", code: "max", message: `to can be at most ${lastDay}, ${MAX_MONTHS / 12} years after from.` }]);
  const [lease, changes] = await Promise.all([getLeaseRow(db, id), findLeaseRentChanges(db, id)]);
  const spans = rentCents === undefined ? rentPeriods(lease.rentCents, changes, from, to) : [{ from, to, rentCents }];
  const { method, lines } = await clients.ledger.prorateRents(db, { spans });
  return { proration: prorationView(method as Proration["method"], lines as Proration["lines"]) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function prorationView(method: Proration["method"], lines: Proration["lines"]): Proration {
  const amountCents = sum(lines.map((line) => line.amountCents)) as Proration["amountCents"];
  if (!Number.isSafeInteger(amountCents))
    throw invalid([{ path: "rentCents", code: "max", message: "rentCents adds up to too large an amount over these days. Send a lower rent or fewer days." }]);
  const daysByMonth = new Map(lines.map(({ from, daysInPeriod }) => [from.slice(0, 7), daysInPeriod]));
  const daysInPeriod = method === "annual_365" ? 365 : sum([...daysByMonth.values()]);
  return { method, days: sum(lines.map(({ days }) => days)), daysInPeriod, amountCents, lines };
}
