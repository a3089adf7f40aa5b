/** The lists that grow with an organization, by the pages and filters that people ask for. */
import { addMonths, endOfMonth } from "@freehold/kit/time/plain-date";
import type { Sample } from "./samples.ts";
import { months } from "./sizes.ts";

type QueryOf = (sample: Sample) => Record<string, string>;

export interface List {
  name: string;
  service: "ledger" | "portfolio";
  path: string;
  /** The whole list, from its first page to the last that the small organization has as well. */
  pages: Record<string, QueryOf>;
  /** What concerns one tenant, lease or property: as much of it matches in the small organization. */
  alike: Record<string, QueryOf>;
  /** What matches a hundred times as much in the large organization, or looks through a hundred times as many names. */
  broad: Record<string, QueryOf>;
}

const page =
  (number: number): QueryOf =>
  () => ({ page: String(number) });
const tenant: QueryOf = ({ tenantId }) => ({ tenantId });
const lease: QueryOf = ({ leaseId }) => ({ leaseId });
const property: QueryOf = ({ propertyId }) => ({ propertyId });
const name: QueryOf = ({ fullName }) => ({ search: fullName });

/** Pages that the small organization has as well, up to the hundredth. */
const deepest = (rows: number): number => Math.max(1, Math.min(100, Math.floor(rows / 100)));

/** The lists, for a small organization of so many leases. */
export function lists(leases: number): List[] {
  const all = months();
  const month = all.at(-3)!;
  const [after, before, ends] = [month, endOfMonth(month), addMonths(all.at(-1)!, 12)];
  const pages = (rows: number) => ({ "first page": page(1), [`page ${deepest(rows)}`]: page(deepest(rows)) });
  const [ofMoney, ofLeases] = [pages(leases * (all.length - 1)), pages(leases)];
  return [
    {
      name: "payments",
      service: "ledger",
      path: "/api/payments",
      pages: ofMoney,
      alike: { "of a tenant": tenant, "of a lease": lease, "of a property": property },
      broad: {
        "received in a month": () => ({ receivedAfter: after, receivedBefore: before }),
        "with credit left": () => ({ unallocatedOnly: "true" }),
        "by a name": name,
      },
    },
    {
      name: "charges",
      service: "ledger",
      path: "/api/charges",
      pages: ofMoney,
      alike: { "of a tenant": tenant, "of a lease": lease, "of a property": property },
      broad: {
        "due in a month": () => ({ dueAfter: after, dueBefore: before }),
        overdue: () => ({ overdue: "true" }),
        open: () => ({ status: "pending,partially_paid" }),
      },
    },
    {
      name: "journal entries",
      service: "ledger",
      path: "/api/accounting/journal-entries",
      pages: ofMoney,
      alike: { "of a property": property, "by hand": () => ({ source: "manual" }) },
      broad: {
        "of a month": () => ({ occurredAfter: after, occurredBefore: before }),
        "of an account in a month": ({ accountId }) => ({ accountId, occurredAfter: after, occurredBefore: before }),
      },
    },
    {
      name: "leases",
      service: "portfolio",
      path: "/api/leases",
      pages: ofLeases,
      alike: { active: () => ({ status: "active" }), "of a property": property, "of a tenant": tenant },
      broad: { "ending in a month": () => ({ endAfter: ends, endBefore: endOfMonth(ends) }), "by a name": name },
    },
    {
      name: "tenants",
      service: "portfolio",
      path: "/api/tenants",
      pages: ofLeases,
      alike: { "of a property": property },
      broad: { "by a name": name },
    },
  ];
}
