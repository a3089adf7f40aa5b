/** Management fees: agreements with the owners, and runs that charge the fees of a period. */
import { z } from "zod";
import { chargeTypes } from "../identity/accounts.ts";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, csvEnum, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, text } from "../values.ts";

export const managementFeeTypes = ["percent_of_collected", "percent_of_billed", "flat_per_month", "flat_per_unit", "percent_of_market_rent"] as const;
export const leaseFeeTypes = ["flat", "percent_first_month"] as const;
export const managementFeeKinds = ["management", "kept", "leasing", "renewal"] as const;
export const managementFeeRunStatuses = ["completed", "reversed"] as const;

const Bps = z.int().min(1).max(10_000);
const ChargeTypes = z.array(z.enum(chargeTypes)).max(chargeTypes.length);

const leaseFee = {
  type: z
    .enum(leaseFeeTypes)
    .describe("Basis of the fee: `flat` is the amount `cents`, `percent_first_month` the share `bps` of the rent at the start of the lease."),
  bps: Bps.nullable().describe("Share of the rent at the start of the lease in basis points (5000 is 50 %). Null for a flat fee."),
  cents: PositiveCents.nullable().describe("Amount of a flat fee in cents. Null for a share of the rent."),
};
const LeaseFee = z.strictObject(leaseFee).meta({ id: "LeaseFee", description: "Fee for a lease that starts, or for a renewal that takes over." });
export type LeaseFee = z.output<typeof LeaseFee>;

const RequestedLeaseFee = body({ ...leaseFee, bps: leaseFee.bps.default(null), cents: leaseFee.cents.default(null) }).superRefine(
  ({ type, bps, cents }, context) => {
    const refuse = (path: string, code: string, message: string) => context.addIssue({ code: "custom", path: [path], params: { code }, message });
    if (type === "flat" && cents === null) refuse("cents", "required", "A flat fee needs an amount. Set cents.");
    if (type === "flat" && bps !== null) refuse("bps", "not_allowed", "A flat fee has no share. Leave bps out.");
    if (type === "percent_first_month" && bps === null) refuse("bps", "required", "A share of the rent needs basis points. Set bps.");
    if (type === "percent_first_month" && cents !== null) refuse("cents", "not_allowed", "A share of the rent has no amount. Leave cents out.");
  },
);

const FEE_TYPE =
  "Basis of the fee of a month: a share of the money, also of security deposits, that settled the included charges in the month (`percent_of_collected`) or of those due in it (`percent_of_billed`), an amount per month (`flat_per_month`) or for each unit of the property (`flat_per_unit`), or a share of the market rents of its units (`percent_of_market_rent`).";
const terms = {
  effectiveFrom: PlainDate.describe("First day on which the agreement applies."),
  effectiveTo: PlainDate.nullable().describe("Last day on which the agreement applies. Null for one without an end."),
  feeType: z.enum(managementFeeTypes).describe(FEE_TYPE),
  percentBps: Bps.nullable().describe("Share in basis points (1000 is 10 %), required for fees in percent. Null for flat fees."),
  flatCents: PositiveCents.nullable().describe("Amount per month, or per unit and month, in cents, required for flat fees. Null for fees in percent."),
  minimumCents: NonNegativeCents.nullable().describe(
    "Least fee of the property and month in cents, once for all runs and agreements of the month; prorated by days in a month to which the agreement applies in part. Null for none.",
  ),
  maximumCents: NonNegativeCents.nullable().describe(
    "Greatest fee of a month in cents, not below `minimumCents`, once for all runs of the month, and prorated like it. Null for none.",
  ),
  waiveWhenVacant: z.boolean().describe("`true` waives the fee of a month in which no lease held any unit of the property on any day of the charged period."),
  includedChargeTypes: ChargeTypes.describe("Types of the charges that a fee in percent of collected or billed amounts counts, without `deposit`."),
  managerKeepsChargeTypes: ChargeTypes.describe(
    "Types of charges of which the manager keeps all that is collected, none of them in `includedChargeTypes` and not `deposit`.",
  ),
  leasingFee: LeaseFee.nullable().describe("Fee for each lease that starts and is no renewal. Null for none."),
  renewalFee: LeaseFee.nullable().describe("Fee for each renewal that takes over. Null for none."),
  categoryId: Id.describe("ID of the expense account of the chart that the fees are debited to."),
};

export const ManagementFeeAgreement = z
  .strictObject({
    id: Id.describe("ID of the agreement."),
    organizationId: Id.describe("ID of the organization the agreement belongs to."),
    propertyId: Id.describe("ID of the property that is managed."),
    ...terms,
    createdAt: Instant.describe("Time at which the agreement was created."),
    updatedAt: Instant.describe("Time at which the agreement was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the agreement was deleted; null unless deleted."),
  })
  .meta({ id: "ManagementFeeAgreement", description: "Fees of the management company for a property, from a day on." });
export type ManagementFeeAgreement = z.output<typeof ManagementFeeAgreement>;

const FeeBase = z
  .strictObject({
    paymentId: Id.nullable().describe(
      "ID of the payment that settled the charge. Null for a share of billed amounts, and when a security deposit settled the charge.",
    ),
    chargeId: Id.describe("ID of the charge."),
    amountCents: Cents.describe("Amount in cents that counts. Negative for an amount that an earlier run has counted and that no longer settles the charge."),
  })
  .meta({ id: "ManagementFeeBase", description: "Amount of a charge, or of a payment for it, that a management fee counts." });

const line = {
  propertyId: Id.describe("ID of the property that bears the fee."),
  agreementId: Id.describe("ID of the agreement."),
  kind: z
    .enum(managementFeeKinds)
    .describe("Kind of the fee: the `management` fee of a month, charges that the manager has `kept`, or a `leasing` or `renewal` fee for a lease."),
  month: PlainDate.describe("First day of the month that the fee is for."),
  leaseId: Id.nullable().describe("ID of the lease of a leasing or renewal fee. Null for other fees."),
  baseCents: Cents.describe("Amount in cents that the fee is computed from: collected or billed amounts, market rents, or the flat amount."),
  computedCents: Cents.describe("Fee in cents before the minimum and the maximum."),
  minimumApplied: z.boolean().describe("`true` when the minimum raised the fee."),
  maximumApplied: z.boolean().describe("`true` when the maximum lowered the fee."),
  isWaived: z.boolean().describe("`true` when the fee is waived because the property was vacant."),
  amountCents: Cents.describe("Fee in cents. Negative for a correction of an earlier run that exceeds the fee."),
};

const FeeLine = z
  .strictObject({
    ...line,
    base: z.array(FeeBase).describe("Amounts that add up to the base of a fee in percent of collected or billed amounts; otherwise empty."),
  })
  .meta({ id: "ManagementFeeLine", description: "Fee of a property, with what it is computed from." });
export type ManagementFeeLine = z.output<typeof FeeLine>;

export const ManagementFee = z
  .strictObject({
    id: Id.describe("ID of the fee."),
    organizationId: Id.describe("ID of the organization the fee belongs to."),
    runId: Id.describe("ID of the run that charged the fee."),
    ...line,
    amountCents: Cents.describe("Fee in cents, less what was taken back. Negative for a correction of an earlier run that exceeds the fee."),
    reversedCents: NonNegativeCents.describe("Part of the fee in cents that was taken back because payments were reversed."),
    expenseId: Id.nullable().describe("ID of the expense of the property that contains the fee. Null when the fees of the run are 0 for the property."),
    status: z.enum(managementFeeRunStatuses).describe("Status of the run of the fee."),
    createdAt: Instant.describe("Time at which the fee was charged."),
    updatedAt: Instant.describe("Time at which the fee was last changed."),
  })
  .meta({ id: "ManagementFee", description: "Fee of the management company that a run has charged to a property." });
export type ManagementFee = z.output<typeof ManagementFee>;

const runSummary = {
  id: Id.describe("ID of the run."),
  organizationId: Id.describe("ID of the organization the run belongs to."),
  status: z.enum(managementFeeRunStatuses).describe("Status of the run. A `reversed` run has no effect, and its period can be charged again."),
  periodStart: PlainDate.describe("First day of the charged period."),
  periodEnd: PlainDate.describe("Last day of the charged period."),
  bankAccountId: Id.nullable().describe("ID of the trust account in which the fees were collected. Null when none was."),
  expensePaymentId: Id.nullable().describe("ID of the expense payment that collected the fees in the trust account. Null when nothing was collected."),
  totalCents: NonNegativeCents.describe("Sum of the fees in cents, as charged."),
  collectedCents: NonNegativeCents.describe("Part of the fees in cents that became money of the management company in the trust account."),
  createdAt: Instant.describe("Time of the run."),
  updatedAt: Instant.describe("Time at which the run was last changed."),
  reversedAt: Instant.nullable().describe("Time at which the run was reversed. Null for one that was not reversed."),
  reverseReason: z.string().nullable().describe("Reason for reversing the run, or null."),
};
export const ManagementFeeRunSummary = z
  .strictObject(runSummary)
  .meta({ id: "ManagementFeeRunSummary", description: "Run that charged the management fees of a period, without its fees." });
export type ManagementFeeRunSummary = z.output<typeof ManagementFeeRunSummary>;
export const ManagementFeeRun = z
  .strictObject({
    ...runSummary,
    lines: z.array(FeeLine).describe("Fees of the run by property and month. Amounts that were taken back since are not in them."),
    expenseIds: z.array(Id).describe("IDs of the expenses of the properties that contain the fees."),
  })
  .meta({ id: "ManagementFeeRun", description: "Run that charged the management fees of a period." });
export type ManagementFeeRun = z.output<typeof ManagementFeeRun>;

const MAX_PERIOD = "at most 366 days";
const period = {
  periodStart: PlainDate.describe("First day of the period."),
  periodEnd: PlainDate.describe(`Last day of the period, not before \`periodStart\`; ${MAX_PERIOD}.`),
  propertyIds: z
    .array(Id)
    .min(1)
    .max(200)
    .optional()
    .describe("IDs of the properties. Default: all properties with an agreement in the period that are not deleted and that no run has charged for it."),
};
type Period = { periodStart: string; periodEnd: string };
const DAY_MS = 86_400_000;
const isOrdered = ({ periodStart, periodEnd }: Period) => periodStart <= periodEnd;
const isShort = ({ periodStart, periodEnd }: Period) => Date.parse(periodEnd) - Date.parse(periodStart) < 366 * DAY_MS;
const ORDERED = { path: ["periodEnd"], params: { code: "before_start" }, message: "periodEnd cannot be before periodStart." };
const SHORT = { path: ["periodEnd"], params: { code: "max" }, message: "A period has at most 366 days. Split it." };

const RULES =
  "The fee of a property and month is the share of the base, rounded half up to the cent, between the minimum and the maximum, by the agreement that applies on the day of each amount. Money counts on the day on which it settles its charge: that of the receipt, or the due date when it is later. A charge that a security deposit settles is collected then, and stays billed. Flat amounts, market rents, the minimum and the maximum are prorated by days where the period or the agreement covers a part of a month. Amounts dated in a period that a run has charged before, which it has not counted or which have changed since, count in the next run as fees of their own month: that month is charged its fee less what earlier runs have charged for it. When agreements follow each other in a month, the minimum of the month is the sum of their prorated minima and is compared with the sum of their fees; no agreement gives more than its own maximum of a whole month, and those with a maximum together no more than the sum of their prorated maxima. A correction that would make the fees of a property negative waits for a later run, also in a month that is waived for vacancy. Deleted properties are left out.";
const agreementResponse = { agreement: ManagementFeeAgreement };
const OVERLAP = "Refused with 409 `duplicate` when another agreement of the property applies on one of its days: end that one first.";

export const managementFees = operationGroup("Management fees", "ledger", {
  listManagementFeeAgreements: {
    method: "GET",
    path: "/api/management-fees/agreements",
    summary: "list management fee agreements",
    access: officeRoles,
    query: listQuery(["effectiveFrom", "createdAt", "updatedAt"], {
      propertyId: Id.optional().describe("Return only agreements of this property."),
      feeType: csvEnum(managementFeeTypes).optional().describe("Return only agreements with these bases, repeated or comma-separated."),
      effectiveOn: PlainDate.optional().describe("Return only agreements that apply on this day."),
    }),
    response: page("agreements", ManagementFeeAgreement),
  },
  createManagementFeeAgreement: {
    method: "POST",
    path: "/api/management-fees/agreements",
    summary: "create management fee agreements",
    access: adminsAndManagers,
    description: OVERLAP,
    body: body({
      ...terms,
      propertyId: Id.describe("ID of the property that is managed."),
      effectiveTo: terms.effectiveTo.default(null),
      percentBps: terms.percentBps.default(null),
      flatCents: terms.flatCents.default(null),
      minimumCents: terms.minimumCents.default(null),
      maximumCents: terms.maximumCents.default(null),
      waiveWhenVacant: terms.waiveWhenVacant.default(false),
      includedChargeTypes: terms.includedChargeTypes.default(["rent"]),
      managerKeepsChargeTypes: terms.managerKeepsChargeTypes.default([]),
      leasingFee: RequestedLeaseFee.nullable().default(null).describe("Fee for each lease that starts and is no renewal. Default: null, for none."),
      renewalFee: RequestedLeaseFee.nullable().default(null).describe("Fee for each renewal that takes over. Default: null, for none."),
      categoryId: Id.optional().describe("ID of the expense account of the chart that the fees are debited to. Default: 5040 Management fees."),
    }),
    response: agreementResponse,
    errors: [409],
    idempotent: true,
  },
  getManagementFeeAgreement: {
    method: "GET",
    path: "/api/management-fees/agreements/{id}",
    summary: "read a management fee agreement",
    access: officeRoles,
    response: agreementResponse,
  },
  updateManagementFeeAgreement: {
    method: "PATCH",
    path: "/api/management-fees/agreements/{id}",
    summary: "change management fee agreements",
    access: adminsAndManagers,
    description: `Changes the members that are sent. Fees that runs have charged stay as they are; the new terms apply to what is charged from now on. To change the terms from a day on, set \`effectiveTo\` and create another agreement. ${OVERLAP}`,
    body: body({
      ...terms,
      leasingFee: RequestedLeaseFee.nullable().describe("Fee for each lease that starts and is no renewal. Null for none."),
      renewalFee: RequestedLeaseFee.nullable().describe("Fee for each renewal that takes over. Null for none."),
    }).partial(),
    response: agreementResponse,
    errors: [409],
  },
  deleteManagementFeeAgreement: {
    method: "DELETE",
    path: "/api/management-fees/agreements/{id}",
    summary: "delete management fee agreements",
    access: adminsAndManagers,
    description: "Soft-deletes an agreement, so that later runs do not apply it. Fees that runs have charged stay.",
    response: { agreement: ManagementFeeAgreement.describe("Deleted agreement, with `deletedAt` set.") },
  },
  previewManagementFees: {
    method: "POST",
    path: "/api/management-fees/preview",
    summary: "preview management fees",
    access: adminsAndManagers,
    description: `Computes what a run would charge, without an effect. ${RULES}`,
    body: body(period).refine(isOrdered, ORDERED).refine(isShort, SHORT),
    response: {
      preview: z
        .strictObject({
          lines: z.array(FeeLine).describe("Fees by property and month."),
          totalCents: Cents.describe("Sum of the fees in cents."),
        })
        .describe("Fees that a run would charge."),
    },
    errors: [409],
    changesNothing: true,
  },
  createManagementFeeRun: {
    method: "POST",
    path: "/api/management-fees/runs",
    summary: "charge management fees",
    access: adminsAndManagers,
    description: `${RULES} The fees of a property are an unpaid expense of it (debit of the account of the agreement, credit of 2000), dated the last day of the period or today, whichever is earlier. When the property was sold, there is an expense for each ownership: those who have earned a charge bear the fees in percent on it (\`ownedOn\`). Where the owners of the property have the money in the trust account \`bankAccountId\`, the run also pays the expense there today: the money of the owners becomes money of the management company in the same account (credit of 4060, without a property), from where it can be transferred to a business account. All fees of a run are charged, or none. A property is charged once for a day: 409 \`duplicate\` when a run has charged a part of the period. 409 \`period_closed\` when the day of the expense is in a closed accounting period.`,
    body: body({
      ...period,
      bankAccountId: Id.nullable()
        .optional()
        .describe(
          "ID of the trust account in which the fees are collected. Null collects nothing, so that the expenses are paid with expense payments. Default: the only active operating account, and null when there is none or several.",
        ),
    })
      .refine(isOrdered, ORDERED)
      .refine(isShort, SHORT),
    response: { run: ManagementFeeRun },
    errors: [409],
    idempotent: true,
  },
  listManagementFees: {
    method: "GET",
    path: "/api/management-fees",
    summary: "list management fees",
    access: officeRoles,
    query: listQuery(["month", "amountCents", "createdAt"], {
      propertyId: Id.optional().describe("Return only fees of this property."),
      agreementId: Id.optional().describe("Return only fees of this agreement."),
      runId: Id.optional().describe("Return only fees of this run."),
      kind: csvEnum(managementFeeKinds).optional().describe("Return only fees of these kinds, repeated or comma-separated."),
      status: csvEnum(managementFeeRunStatuses).optional().describe("Return only fees of runs with these statuses, repeated or comma-separated."),
      monthAfter: PlainDate.optional().describe("Return only fees of months that begin on or after this date."),
      monthBefore: PlainDate.optional().describe("Return only fees of months that begin on or before this date."),
    }),
    response: page("managementFees", ManagementFee),
  },
  listManagementFeeRuns: {
    method: "GET",
    path: "/api/management-fees/runs",
    summary: "list management fee runs",
    access: officeRoles,
    query: listQuery(["periodStart", "totalCents", "createdAt"], {
      propertyId: Id.optional().describe("Return only runs that charged this property."),
      status: csvEnum(managementFeeRunStatuses).optional().describe("Return only runs with these statuses, repeated or comma-separated."),
      periodAfter: PlainDate.optional().describe("Return only runs whose period ends on or after this date."),
      periodBefore: PlainDate.optional().describe("Return only runs whose period starts on or before this date."),
    }),
    response: page("runs", ManagementFeeRunSummary),
  },
  getManagementFeeRun: {
    method: "GET",
    path: "/api/management-fees/runs/{id}",
    summary: "read a management fee run",
    access: officeRoles,
    response: { run: ManagementFeeRun },
  },
  reverseManagementFeeRun: {
    method: "POST",
    path: "/api/management-fees/runs/{id}/reverse",
    summary: "reverse management fee runs",
    access: adminsAndManagers,
    description:
      "Takes all fees of a run back: voids its expenses and their collection in the trust account, today or on the day of the expense when that is later, so that the period can be charged again. Refused with 409 `already_reversed` for a reversed run, with 409 `already_allocated` when another payment settles one of its expenses or a later run has offset a fee that was taken back, and with 409 `would_overdraw_ledger` when the collected money has been transferred out of the trust account.",
    body: body({ reason: text(1, 500).optional().describe("Reason for reversing the run, stored with it for audits. Default: none.") }),
    response: { run: ManagementFeeRun },
    errors: [409],
    idempotent: true,
  },
});
