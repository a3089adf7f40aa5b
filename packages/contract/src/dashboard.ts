import { z } from "zod";
import { ActivityItem } from "./activity.ts";
import { area } from "./operation.ts";
import { office } from "./roles.ts";
import { Cents, Id, PlainDate } from "./values.ts";

const Count = z.int().min(0);
const Rate = z.int().min(0);

export const Dashboard = z
  .strictObject({
    asOf: PlainDate,
    occupancy: z.strictObject({ units: Count, occupied: Count, vacant: Count, notice: Count, rateBps: Rate }),
    rent: z.strictObject({ billedCents: Cents, collectedCents: Cents, outstandingCents: Cents, collectionRateBps: Rate }),
    delinquency: z.strictObject({
      leases: Count,
      totalCents: Cents,
      buckets: z.strictObject({ current: Cents, d1to30: Cents, d31to60: Cents, d61to90: Cents, d90plus: Cents }),
    }),
    leasesExpiring: z.strictObject({ within30: Count, within60: Count, within90: Count }),
    workOrders: z.strictObject({ open: Count, inProgress: Count, overdue: Count, avgDaysOpen: z.number().min(0) }),
    trust: z.strictObject({ bankBalanceCents: Cents, liabilityCents: Cents, varianceCents: Cents, unreconciledAccounts: Count }),
    payables: z.strictObject({ ownerCents: Cents, vendorCents: Cents }),
    recentActivity: z.array(ActivityItem),
  })
  .meta({ id: "Dashboard", description: "How the organization, or one of its properties, stands." });
export type Dashboard = z.output<typeof Dashboard>;

export const dashboard = area("Dashboard", "portfolio", {
  getDashboard: {
    method: "GET",
    path: "/api/dashboard",
    summary: "read the dashboard",
    access: office,
    description: [
      "All figures of one moment; `asOf` is the organization's today unless it is given, and `propertyId` narrows every one of them. Rates are in basis points, and 0 of nothing.",
      "`occupancy`: `units` and `occupied` are what the properties say of themselves added up, `vacant` is the rest, `notice` the units whose active lease was given notice on by that day.",
      "`rent`, of the month of `asOf`: `billedCents` are the charges of rent that fall due in it and were not voided, `collectedCents` what was paid of these, `outstandingCents` what of these is still open.",
      "`delinquency`: what is open of all charges as they stand now, by days past due on `asOf`; `current` is due on that day or later, `totalCents` are all five buckets, and `leases` counts those with something past due. Credit that was not applied yet is not taken off.",
      "`leasesExpiring`: active leases whose last day lies at most so many days after `asOf` and that no renewal follows; those within 30 days count within 60 and 90 too.",
      "`workOrders`: those that are open and in progress as they stand now; `overdue` are those of both whose due date is before `asOf`, and `avgDaysOpen` says for how many days both have been asked for on average.",
      "`trust`, by the accrual books at the end of `asOf`: `bankBalanceCents` is what the bank accounts and undeposited funds hold (1000, 1010, 1050), `liabilityCents` what is held for others (2100 deposits, 2150 prepaid rent, 2200 owners), `varianceCents` the first less the second. `unreconciledAccounts` is 0 as long as nothing is reconciled.",
      "`payables`, likewise: `ownerCents` is what is owed to owners (2200), `vendorCents` what is owed to vendors and others (2000).",
      "`recentActivity` are the ten newest. While the ledger does not answer there is no dashboard: 503.",
    ].join("\n\n"),
    query: z.strictObject({ propertyId: Id.optional(), asOf: PlainDate.optional() }),
    returns: { dashboard: Dashboard },
  },
});
