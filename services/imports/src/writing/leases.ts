/** Leases, the people beside the first on them, and what is charged every month. */
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import type { Data } from "../validation/draft.ts";
import { usualTerm } from "../validation/draft-rows.ts";
import { bps, cents, propertyOf, said, whole, type Create, type Update } from "./writable-row.ts";

const leaseTerms = (data: Data) =>
  said({
    endDate: data["end_date"],
    termType: data["term_type"],
    rentChargeDay: whole(data["rent_charge_day"]),
    lateFeeType: data["late_fee_type"],
    lateFeeAmountCents: cents(data["late_fee_amount"]),
    lateFeePercentBps: bps(data["late_fee_percent"]),
    lateFeeGraceDays: whole(data["late_fee_grace_days"]),
    moveInDate: data["move_in_date"],
  });

/**
 * A lease, in force unless it is said to be a draft; one whose last day has passed runs out by itself. What was due before
 * today comes as balances and charges, so its rent is charged from today on, unless a recurring charge of the rows does that.
 */
export const createLease: Create = async (row, perform, { today, billedByRow }) => {
  const { id, data, linked } = row;
  const body = {
    propertyId: await propertyOf(row, perform),
    unitId: linked["unit"],
    tenantId: linked["tenant"],
    startDate: data["start_date"],
    rentCents: cents(data["rent"]),
    leaseKind: data["lease_kind"] ?? "residential",
    createRecurringRent: !billedByRow.has(id),
    ...(data["start_date"]! < today && { billFrom: today, prorateFirstMonth: false }),
    activate: data["status"] !== "draft",
    ...leaseTerms({ ...data, term_type: data["term_type"] ?? usualTerm(data) }),
  };
  const { lease } = await perform<{ lease: { id: string } }>("portfolio", "createLease", id, { body });
  if (data["status"] === "terminated" && data["end_date"] !== undefined && data["end_date"] <= today)
    await perform("portfolio", "terminateLease", `${id} termination`, {
      params: { id: lease.id },
      body: { terminationDate: data["end_date"], reason: "Ended before it was imported.", finalRent: "none" },
    });
  return lease.id;
};

/** What the row says otherwise. Another rent of a lease that runs holds from the first of the month after the import on: this month's may be charged. */
export const updateLease: Update = async ({ id, data, changes }, leaseId, perform, { today }) => {
  const changed = (field: string) => (changes.some((change) => change.field === field) ? data[field] : undefined);
  const params = { id: leaseId };
  const rentCents = cents(changed("rent"));
  const isRunning = data["status"] !== "draft" && data["start_date"]! <= today;
  if (isRunning && rentCents !== undefined)
    await perform("portfolio", "createRentChange", `${id} rent`, { params, body: { effectiveDate: addMonths(startOfMonth(today), 1), rentCents } });
  const atStart = said({ startDate: changed("start_date"), leaseKind: changed("lease_kind"), rentCents: isRunning ? undefined : rentCents });
  await perform("portfolio", "updateLease", id, { params, body: { ...leaseTerms(data), ...atStart } });
};

export const createOccupant: Create = async ({ id, data, linked }, perform) => {
  const body = said({ tenantId: linked["tenant"], role: data["role"] ?? "co_tenant", moveInDate: data["move_in_date"] });
  const { occupant } = await perform<{ occupant: { id: string } }>("portfolio", "createOccupant", id, { params: { leaseId: linked["lease"]! }, body });
  return occupant.id;
};

export const createRecurringCharge: Create = async ({ id, data, linked }, perform, { accountOf }) => {
  const kind = data["kind"] ?? "fee";
  const body = said({
    leaseId: linked["lease"],
    label: data["label"],
    kind,
    amountCents: cents(data["amount"]),
    categoryId: accountOf(data["category_code"] ?? (kind === "rent" ? "4000" : "4090")),
    dayOfMonth: whole(data["day_of_month"]) ?? 1,
    startDate: data["start_date"],
    endDate: data["end_date"],
  });
  const { recurringChargeRule } = await perform<{ recurringChargeRule: { id: string } }>("ledger", "createRecurringCharge", id, { body });
  return recurringChargeRule.id;
};
