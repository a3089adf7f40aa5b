/** Writers of leases, their occupants and recurring charges. */
import { invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import type { FieldValues } from "../validation/draft.ts";
import { defaultTermType } from "../validation/draft-rows.ts";
import type { ExecuteOperation } from "./operation-batcher.ts";
import { getPropertyId, toBasisPoints, toCents, toNumber, type Writer } from "./writable-row.ts";

const leaseTerms = (data: FieldValues) =>
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
function requireEnded({ status, end_date }: FieldValues, importDate: string): void {
  if (status !== "expired" || (end_date !== undefined && end_date <= importDate)) return;
  const message = "The lease is expired, but its end_date is after the day of the import. Set end_date to the last day of the tenancy, or correct the status.";
  throw invalid([{ path: "end_date", code: "not_allowed", message }]);
}

const readStatus = async (execute: ExecuteOperation, id: string): Promise<string> =>
  (await execute<{ lease: { status: string } }>("portfolio", "getLease", "read", { params: { id } })).lease.status;

/** Ends a running lease on its last day, or cancels a pending one. A lease that has ended already stays as it is. */
async function endLease(execute: ExecuteOperation, rowId: string, leaseId: string, data: FieldValues, importDate: string): Promise<void> {
  requireEnded(data, importDate);
  const status = await readStatus(execute, leaseId);
  if (status === "pending") await execute("portfolio", "cancelLease", `${rowId} cancellation`, { params: { id: leaseId } });
  if (status !== "active") return;
  const body = { terminationDate: data["end_date"], reason: "Ended before it was imported again.", finalRent: "none" };
  await execute("portfolio", "terminateLease", `${rowId} termination`, { params: { id: leaseId }, body });
}

export const leaseWriter: Writer = {
  /**
   * Creates a lease and activates it unless it is a draft. Rent is charged from the import date on, because earlier amounts are
   * imported as balances and charges. A lease whose rent is an imported recurring charge gets no other rent charge.
   */
  create: async (row, execute, context) => {
    const { id, key, data, linkedIds } = row;
    const { importDate, leasesWithRentCharge } = context;
    requireEnded(data, importDate);
    const isPast = (data["status"] === "terminated" || data["status"] === "expired") && data["end_date"]! <= importDate;
    // With a fixed term, a past lease holds its unit until its end date only, and expires by itself.
    const termType = isPast ? "fixed" : (data["term_type"] ?? defaultTermType(data));
    const body = {
      propertyId: await getPropertyId(row, context),
      unitId: linkedIds["unit"],
      tenantId: linkedIds["tenant"],
      startDate: data["start_date"],
      rentCents: toCents(data["rent"]),
      leaseKind: data["lease_kind"] ?? "residential",
      createRecurringRent: !leasesWithRentCharge.has(id),
      ...(data["start_date"]! < importDate && { billFrom: importDate, prorateFirstMonth: false }),
      activate: data["status"] !== "draft",
      ...leaseTerms({ ...data, term_type: termType }),
    };
    if (!isPast) return (await execute<{ lease: { id: string } }>("portfolio", "createLease", key, { body })).lease.id;
    const ended = { ...body, endedAs: data["status"] };
    return (await execute<{ recordId: string }>("portfolio", "importEndedLease", key, { body: ended })).recordId;
  },
  /** Updates a lease, and activates or ends it when its status has changed since the last import. A new rent of a running lease takes effect on the first of the next month, because the current month may have been charged. */
  update: async ({ id, data, changes }, leaseId, execute, { importDate }) => {
    const changedValue = (field: string) => (changes.some((change) => change.field === field) ? data[field] : undefined);
    const params = { id: leaseId };
    const rentCents = toCents(changedValue("rent"));
    const status = changedValue("status");
    if ((status === "terminated" || status === "expired") && (await readStatus(execute, leaseId)) !== "draft") {
      await endLease(execute, id, leaseId, data, importDate);
      return;
    }
    const isRunning = data["status"] !== "draft" && data["start_date"]! <= importDate;
    const initialTerms = omitUndefined({
      startDate: changedValue("start_date"),
      leaseKind: changedValue("lease_kind"),
      rentCents: isRunning ? undefined : rentCents,
    });
    await execute("portfolio", "updateLease", id, { params, body: { ...leaseTerms(data), ...initialTerms } });
    if (status === "active" && (await readStatus(execute, leaseId)) === "draft")
      await execute("portfolio", "activateLease", `${id} activation`, { params, body: {} });
    // Last, because a repeated import after a refused update would create the rent change a second time.
    if (isRunning && rentCents !== undefined)
      await execute("portfolio", "createRentChange", `${id} rent`, { params, body: { effectiveDate: addMonths(startOfMonth(importDate), 1), rentCents } });
  },
  fields: { startDate: "start_date", endDate: "end_date", terminationDate: "end_date", moveOutDate: "end_date", moveInDate: "move_in_date" },
};

export const occupantWriter: Writer = {
  create: async ({ key, data, linkedIds }, execute) => {
    const params = { leaseId: linkedIds["lease"]! };
    const body = omitUndefined({ tenantId: linkedIds["tenant"], role: data["role"] ?? "co_tenant", moveInDate: data["move_in_date"] });
    const { occupant } = await execute<{ occupant: { id: string } }>("portfolio", "createOccupant", key, { params, body });
    return occupant.id;
  },
};

/** Income accounts of recurring charges whose row has no account. */
const RENT_ACCOUNT = "4000";
const FEE_ACCOUNT = "4090";

export const recurringChargeWriter: Writer = {
  create: async ({ key, data, linkedIds }, execute, { categoryIdOf }) => {
    const kind = data["kind"] ?? "fee";
    const body = omitUndefined({
      leaseId: linkedIds["lease"],
      label: data["label"],
      kind,
      amountCents: toCents(data["amount"]),
      categoryId: categoryIdOf(data["category_code"] ?? (kind === "rent" ? RENT_ACCOUNT : FEE_ACCOUNT)),
      dayOfMonth: toNumber(data["day_of_month"]) ?? 1,
      startDate: data["start_date"],
      endDate: data["end_date"],
    });
    const { recurringChargeRule } = await execute<{ recurringChargeRule: { id: string } }>("ledger", "createRecurringCharge", key, { body });
    return recurringChargeRule.id;
  },
};
