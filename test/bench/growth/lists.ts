/** Lists that grow with an organization, with typical pages and filters. */
import { addMonths, endOfMonth } from "@freehold/kit/time/plain-date";
import type { Sample } from "./samples.ts";
import { months } from "./sizes.ts";

type QueryOf = (sample: Sample) => Record<string, string>;

export interface List {
  name: string;
  service: "ledger" | "portfolio";
  path: string;
  /** Pages of the unfiltered list: the first, and the last full one of the small organization. */
  pages: Record<string, QueryOf>;
  /** Filters with about as many matches in both organizations, such as one tenant, lease or property. */
  narrow: Record<string, QueryOf>;
  /** Filters that match a hundred times as many rows in the large organization, or compare as many more names. */
  broad: Record<string, QueryOf>;
}

const page =
  (number: number): QueryOf =>
  () => ({ page: String(number) });
const byTenant: QueryOf = ({ tenantId }) => ({ tenantId });
const byLease: QueryOf = ({ leaseId }) => ({ leaseId });
const byProperty: QueryOf = ({ propertyId }) => ({ propertyId });
const byName: QueryOf = ({ fullName }) => ({ search: fullName });

/** Returns the number of the last full page of 100 rows, at least 1 and at most 100. */
const lastPage = (rows: number): number => Math.max(1, Math.min(100, Math.floor(rows / 100)));

/** Returns the lists for a small organization with the given number of leases. */
export function lists(leases: number): List[] {
  const allMonths = months();
  const month = allMonths.at(-3)!;
  const [monthStart, monthEnd, leaseEndMonth] = [month, endOfMonth(month), addMonths(allMonths.at(-1)!, 12)];
  const pagesOf = (rows: number) => ({ "first page": page(1), [`page ${lastPage(rows)}`]: page(lastPage(rows)) });
  const [ledgerPages, leasePages] = [pagesOf(leases * (allMonths.length - 1)), pagesOf(leases)];
  return [
    {
      name: "payments",
      service: "ledger",
      path: "/api/payments",
      pages: ledgerPages,
      narrow: { "of a tenant": byTenant, "of a lease": byLease, "of a property": byProperty },
      broad: {
        "received in a month": () => ({ receivedAfter: monthStart, receivedBefore: monthEnd }),
        "with credit left": () => ({ unallocatedOnly: "true" }),
        "by a name": byName,
      },
    },
    {
      name: "charges",
      service: "ledger",
      path: "/api/charges",
      pages: ledgerPages,
      narrow: { "of a tenant": byTenant, "of a lease": byLease, "of a property": byProperty },
      broad: {
        "due in a month": () => ({ dueAfter: monthStart, dueBefore: monthEnd }),
        overdue: () => ({ overdue: "true" }),
        open: () => ({ status: "pending,partially_paid" }),
      },
    },
    {
      name: "journal entries",
      service: "ledger",
      path: "/api/accounting/journal-entries",
      pages: ledgerPages,
      narrow: { "of a property": byProperty, manual: () => ({ source: "manual" }) },
      broad: {
        "of a month": () => ({ occurredAfter: monthStart, occurredBefore: monthEnd }),
        "of an account in a month": ({ accountId }) => ({ accountId, occurredAfter: monthStart, occurredBefore: monthEnd }),
      },
    },
    {
      name: "leases",
      service: "portfolio",
      path: "/api/leases",
      pages: leasePages,
      narrow: { active: () => ({ status: "active" }), "of a property": byProperty, "of a tenant": byTenant },
      broad: { "ending in a month": () => ({ endAfter: leaseEndMonth, endBefore: endOfMonth(leaseEndMonth) }), "by a name": byName },
    },
    {
      name: "tenants",
      service: "portfolio",
      path: "/api/tenants",
      pages: leasePages,
      narrow: { "of a property": byProperty },
      broad: { "by a name": byName },
    },
  ];
}
