/** Writers of leases, their occupants and recurring charges. */
import { invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { addMonths, maxDate, startOfMonth } from "@freehold/kit/time/plain-date";
import type { FieldValues } from "../validation/draft.ts";
import { defaultTermType } from "../validation/draft-rows.ts";
import { type LeaseTransition, transitionFor } from "../validation/references/lease-status.rules.ts";
import { defaultValues } from "../validation/match.rules.ts";
import { agreedTermFields } from "../validation/references/agreed-terms.rules.ts";
import { expiryErrors, importedStatus } from "../validation/references/lease-state.rules.ts";
import type { ExecuteOperation } from "./operation-batcher.ts";
import { changedValues, getPropertyId, toBasisPoints, toCents, toNumber, type WritableRow, type WriteContext, type Writer } from "./writable-row.ts";

const lateFeeFields = ["late_fee_type", "late_fee_amount", "late_fee_percent", "late_fee_grace_days"] as const;

const leaseTerms = (data: Readonly<Record<string, string | undefined>>) =>
  omitUndefined({
    endDate: data["end_date"],
    termType: data["term_type"],
    rentChargeDay: toNumber(data["rent_charge_day"]),
    lateFeeType: data["late_fee_type"],
    lateFeeAmountCents: toCents(data["late_fee_amount"]),
    lateFeePercentBps: toBasisPoints(data["late_fee_percent"]),
    lateFeeGraceDays: toNumber(data["late_fee_grace_days"]),
    moveInDate: data["move_in_date"],
  });

/** Throws a 400 for an expired lease that ends after the import, which would become an active one. */
function requireEnded(data: FieldValues, importDate: string): void {
  const errors = expiryErrors(data, importDate);
  if (errors.length > 0) throw invalid(errors);
}

const endedStatuses: ReadonlySet<string> = new Set(["expired", "terminated", "cancelled"]);

interface CurrentLease {
  status: string;
  termType: string;
  propertyId: string;
  unitId: string;
  tenantId: string;
  startDate: string;
  endDate: string | null;
  terminationDate: string | null;
}

const readLease = async (execute: ExecuteOperation, id: string): Promise<CurrentLease> =>
  (await execute<{ lease: CurrentLease }>("portfolio", "getLease", "read", { params: { id } })).lease;

/** Members of an imported change by the transition of the row. */
const transitionMembers = {
  activate: () => ({ transition: "activate" }),
  cancel: () => ({ transition: "cancel" }),
  // A termination prorates what Freehold has charged, and nothing that the other system has charged before.
  end: (data: FieldValues) => ({ transition: "terminate", terminationDate: data["end_date"] }),
  none: () => ({}),
} satisfies Record<LeaseTransition, (data: FieldValues) => object>;

/** Returns the transition that brings a lease to the changed status of its row. Throws 400 if an import does not bring it there. */
async function requireTransition({ data, changes }: WritableRow, leaseId: string, execute: ExecuteOperation, importDate: string): Promise<LeaseTransition> {
  const change = changes.find(({ field }) => field === "status");
  if (!change) return "none";
  const { status, endDate, terminationDate } = await readLease(execute, leaseId);
  const result = transitionFor({ status, lastDay: terminationDate ?? endDate ?? undefined }, data, change, importDate);
  if ("error" in result) throw invalid([result.error]);
  if (result.transition === "end") requireEnded(data, importDate);
  return result.transition;
}

const isUnbegun = ({ status }: CurrentLease): boolean => status === "draft" || status === "pending";

/** Returns the unit, the tenant and the start date of a changed row that its lease does not have. Those of a lease that has begun are fixed. */
async function changedAgreement(row: WritableRow, current: CurrentLease | undefined, context: WriteContext): Promise<Partial<CurrentLease>> {
  if (!current || !isUnbegun(current)) return {};
  const agreed = { propertyId: await getPropertyId(row, context), unitId: row.linkedIds["unit"], tenantId: row.linkedIds["tenant"] };
  const wanted: Partial<CurrentLease> = omitUndefined({ ...agreed, startDate: row.data["start_date"] });
  return Object.fromEntries(Object.entries(wanted).filter(([member, value]) => current[member as keyof CurrentLease] !== value));
}

/** Returns the members that charge a lease from the import date on if it began before: earlier amounts are imported as balances and charges. */
const billingStart = ({ start_date }: FieldValues, importDate: string) => (start_date! < importDate ? { billFrom: importDate, prorateFirstMonth: false } : {});

/** Returns the day on which a new rent takes effect: the first of the next month, or a later first day of the next term of the lease. */
function rentChangeDay({ start_date: start }: FieldValues, current: CurrentLease | undefined, importDate: string): string {
  const nextMonth = addMonths(startOfMonth(importDate), 1);
  return current && start! > current.startDate ? maxDate(start!, nextMonth) : nextMonth;
}

/** Returns the first day and the rent that a changed row of a running lease had before, if it has another first day: that of another term of the lease. */
function formerTermOf({ data, changes }: WritableRow): { effectiveDate: string; rentCents: number } | undefined {
  const before = (field: string) => changes.find((each) => each.field === field)?.from;
  const effectiveDate = before("start_date");
  const rentCents = toCents(before("rent") ?? data["rent"]);
  return effectiveDate && rentCents !== undefined ? { effectiveDate, rentCents } : undefined;
}

/** Tells whether a changed row makes a lease month-to-month, without a last day. */
const becomesOpen = (terms: Readonly<Record<string, string | undefined>>, { end_date: end }: FieldValues): boolean =>
  terms["term_type"] === "month_to_month" && end === undefined;

/** Returns the last day of a lease of a fixed term, with the changes of a row. */
const lastDayOfTerm = ({ termType, endDate }: CurrentLease, terms: Readonly<Record<string, string | undefined>>): string | null =>
  (terms["term_type"] ?? termType) === "fixed" ? (terms["end_date"] ?? endDate) : null;

export const leaseWriter: Writer = {
  /**
   * Creates a lease and activates it unless it is a draft. Rent is charged from the import date on, because earlier amounts are
   * imported as balances and charges. A lease whose rent is charged by other recurring charges of the bundle has no rent charge of its own.
   */
  create: async (row, execute, context) => {
    const { id, key, data, linkedIds } = row;
    const { importDate, rents } = context;
    requireEnded(data, importDate);
    const status = importedStatus(data, importDate);
    const isEnded = endedStatuses.has(status);
    // With a fixed term, a lease with an end holds its unit until its end date only, and expires by itself.
    const termType = isEnded && data["end_date"] ? "fixed" : (data["term_type"] ?? defaultTermType(data));
    const body = {
      propertyId: await getPropertyId(row, context),
      unitId: linkedIds["unit"],
      tenantId: linkedIds["tenant"],
      startDate: data["start_date"],
      rentCents: toCents(rents.initialRents.get(id) ?? data["rent"]),
      leaseKind: data["lease_kind"] ?? "residential",
      createRecurringRent: !rents.chargedByOthers.has(id),
      ...billingStart(data, importDate),
      activate: status !== "draft",
      ...leaseTerms({ ...data, term_type: termType }),
      ...(rents.chargeDays.has(id) && { rentChargeDay: rents.chargeDays.get(id) }),
    };
    const { tenantIds, leaseIds } = await context.continuedLeasesOf({ id, data });
    const [operation, terms] = isEnded
      ? ["importEndedLease", { ...body, endedAs: status }]
      : [
          "importLease",
          { ...body, ...(tenantIds.length > 0 && { continuedTenantIds: tenantIds }), ...(leaseIds.length > 0 && { continuedLeaseIds: leaseIds }) },
        ];
    return (await execute<{ recordId: string }>("portfolio", operation, key, { body: terms })).recordId;
  },
  /**
   * Changes a lease, and activates, cancels or terminates it when its status has changed since the last import: all in one operation. A new rent of a
   * running lease takes effect on the first of the next month, because the current month may have been charged, or on the first day of the next term
   * that extends the lease; not at all if the lease ends before. A row with another term than before has its rent from then on, and the rent of the other
   * term is withdrawn.
   */
  update: async (row, leaseId, execute, context) => {
    const { id, data, changes } = row;
    const { importDate } = context;
    const transition = await requireTransition(row, leaseId, execute, importDate);
    const status = importedStatus(data, importDate);
    const changed = changedValues(row, lateFeeFields);
    const isEnded = changed["status"] !== undefined && endedStatuses.has(status);
    // The end of a lease that ends is that of its termination.
    const terms = isEnded ? { ...changed, end_date: undefined, term_type: undefined } : changed;
    const wasDraft = changes.some(({ field, from }) => field === "status" && from === "draft");
    const isRead = changed["rent"] !== undefined || changes.some(({ field }) => agreedTermFields.has(field));
    const current = isRead ? await readLease(execute, leaseId) : undefined;
    const agreed = await changedAgreement(row, current, context);
    const hasBegun = !wasDraft && current !== undefined && !isUnbegun(current);
    const isRunning = hasBegun && status !== "draft" && status !== "cancelled" && current.startDate <= importDate;
    const formerTerm = isRunning ? formerTermOf(row) : undefined;
    const rentCents = toCents(formerTerm ? data["rent"] : changed["rent"]);
    const effectiveDate = rentChangeDay(data, current, importDate);
    const lastDay = isEnded ? data["end_date"] : current && lastDayOfTerm(current, terms);
    const hasNewRent = isRunning && rentCents !== undefined && !(lastDay && lastDay < effectiveDate);
    const body = omitUndefined({
      ...leaseTerms(terms),
      ...(becomesOpen(terms, data) && { endDate: null }),
      leaseKind: changed["lease_kind"],
      rentCents: isRunning ? undefined : rentCents,
      ...agreed,
      ...((agreed.startDate !== undefined || transition === "activate") && billingStart(data, importDate)),
      withdrawnRent: formerTerm && formerTerm.effectiveDate > current!.startDate ? formerTerm : undefined,
      rentChange: hasNewRent ? { effectiveDate, rentCents } : undefined,
      ...transitionMembers[transition](data),
    });
    if (Object.keys(body).length > 0) await execute("portfolio", "importLeaseChange", id, { params: { id: leaseId }, body });
  },
  fields: {
    propertyId: "property_source_id",
    unitId: "unit_source_id",
    tenantId: "primary_tenant_source_id",
    startDate: "start_date",
    endDate: "end_date",
    terminationDate: "end_date",
    moveOutDate: "end_date",
    moveInDate: "move_in_date",
    effectiveDate: "rent",
  },
};

export const occupantWriter: Writer = {
  create: async ({ key, data, linkedIds }, execute) => {
    const { lease: leaseId, tenant: tenantId } = linkedIds;
    const { role, move_in_date: moveInDate } = { ...defaultValues.occupant, ...data };
    const body = omitUndefined({ leaseId, tenantId, role, moveInDate });
    return (await execute<{ recordId: string }>("portfolio", "importOccupant", key, { body })).recordId;
  },
  update: async (row, occupantId, execute) => {
    const changed = changedValues(row);
    const body = omitUndefined({ role: changed["role"], moveInDate: changed["move_in_date"] });
    await execute("portfolio", "updateOccupant", row.id, { params: { id: occupantId }, body });
  },
  fields: { leaseId: "lease_source_id", tenantId: "tenant_source_id", moveInDate: "move_in_date", moveOutDate: "move_in_date" },
};
