import { z } from "zod";
import { ActivityItem } from "./activity.ts";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { Cents, Id, PlainDate } from "../values.ts";

const Count = z.int().min(0);
const Rate = z.int().min(0);

export const Dashboard = z
  .strictObject({
    asOf: PlainDate.describe("Date of the figures."),
    occupancy: z
      .strictObject({
        units: Count.describe("Number of units: the sum of `units` of the properties."),
        occupied: Count.describe("Number of occupied units: the sum of `occupiedUnits` of the properties."),
        vacant: Count.describe("Number of units that are not occupied."),
        notice: Count.describe("Number of occupied units with notice given on the active lease on or before the date."),
        rateBps: Rate.describe("Occupied units as a share of all units in basis points; 0 without units."),
      })
      .describe("Occupancy of the units."),
    rent: z
      .strictObject({
        billedCents: Cents.describe("Rent charges in cents that are due in the month of the date, without voided charges."),
        collectedCents: Cents.describe("Amount in cents paid of these charges up to the date."),
        outstandingCents: Cents.describe("Open balance in cents of these charges at the end of the date."),
        collectionRateBps: Rate.describe("`collectedCents` as a share of `billedCents` in basis points; 0 when nothing is billed."),
      })
      .describe("Rent of the month of the date."),
    delinquency: z
      .strictObject({
        leases: Count.describe("Number of leases with an overdue charge."),
        totalCents: Cents.describe("Sum of all five buckets in cents."),
        buckets: z
          .strictObject({
            current: Cents.describe("Open charges in cents that are due on the date or later."),
            d1to30: Cents.describe("Open charges in cents that are 1 to 30 days past due."),
            d31to60: Cents.describe("Open charges in cents that are 31 to 60 days past due."),
            d61to90: Cents.describe("Open charges in cents that are 61 to 90 days past due."),
            d90plus: Cents.describe("Open charges in cents that are more than 90 days past due."),
          })
          .describe("Open charges by days past due."),
      })
      .describe("Open balances of all charges that are posted today, at the end of the date and aged as of it. Unallocated credit is not deducted."),
    leasesExpiring: z
      .strictObject({
        within30: Count.describe("Number of leases that end within 30 days."),
        within60: Count.describe("Number of leases that end within 60 days, including `within30`."),
        within90: Count.describe("Number of leases that end within 90 days, including `within60`."),
      })
      .describe(
        "Active leases that end on the date or within the given number of days after it, and have no activated renewal. Month-to-month leases are not counted.",
      ),
    workOrders: z
      .strictObject({
        open: Count.describe("Number of work orders with the status `open`."),
        inProgress: Count.describe("Number of work orders with the status `in_progress`."),
        overdue: Count.describe("Number of these work orders that were due before the date."),
        avgDaysOpen: z.number().min(0).describe("Average number of days since these work orders were requested, rounded to one decimal."),
      })
      .describe("Unfinished work orders with their current status."),
    trust: z
      .strictObject({
        bankBalanceCents: Cents.describe("Balance in cents of trust bank accounts and undeposited funds (accounts 1000, 1010, 1020 and 1050)."),
        liabilityCents: Cents.describe(
          "Money in cents held for others: security deposits (2100), prepaid rent (2150) and the money of the owners of properties.",
        ),
        varianceCents: Cents.describe("`bankBalanceCents` less `liabilityCents`: 0 when the trust accounts hold exactly the money of others."),
        unreconciledAccounts: Count.describe(
          "Number of active bank accounts that are not reconciled up to the end of the month before the date. `propertyId` does not restrict it.",
        ),
      })
      .describe("Trust money at the end of the date, on an accrual basis."),
    payables: z
      .strictObject({
        ownerCents: Cents.describe(
          "Money of the owners in cents: income less expenses of the properties on the cash basis, with contributions and less distributions.",
        ),
        vendorCents: Cents.describe("Amount in cents owed to vendors and others (account 2000)."),
      })
      .describe("Payables at the end of the date, on an accrual basis."),
    recentActivity: z.array(ActivityItem).describe("Ten most recent activities, newest first."),
  })
  .meta({ id: "Dashboard", description: "Key figures of the organization, or of one of its properties." });
export type Dashboard = z.output<typeof Dashboard>;

export const dashboard = operationGroup("Dashboard", "portfolio", {
  getDashboard: {
    method: "GET",
    path: "/api/dashboard",
    summary: "read the dashboard",
    access: officeRoles,
    alsoReads: ["ledger"],
    description:
      "Returns key figures for a date; all figures are restricted to `propertyId` when it is sent. Rates are in basis points. Returns 503 while the ledger is unavailable.",
    query: z.strictObject({
      propertyId: Id.optional().describe("ID of the property to restrict all figures to. Default: all properties."),
      asOf: PlainDate.optional().describe("Date of the figures. Default: today in the organization's time zone."),
    }),
    response: { dashboard: Dashboard },
  },
});
