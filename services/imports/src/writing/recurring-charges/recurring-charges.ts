/** Writer of recurring charges. */
import { ApiError, invalid, unavailable } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { chargeDayOf, isPastCharge } from "./imported-rents.rules.ts";
import type { ExecuteOperation } from "../operation-batcher.ts";
import { changedValues, toCents, toNumber, type WritableRow, type WriteContext, type Writer } from "../writable-row.ts";

/** Income accounts of recurring charges whose row has no account. */
const RENT_ACCOUNT = "4000";
const FEE_ACCOUNT = "4090";

interface Rule {
  id: string;
  kind: string;
  status: string;
  amountCents: number;
  dayOfMonth: number;
  label: string;
  categoryId: string;
}

interface RentRule extends Rule {
  startDate: string;
}

/** Name and account of the charges of a rule. */
type Naming = Partial<Pick<Rule, "label" | "categoryId">>;

interface LeaseOfCharge {
  lease: { rentCents: number };
  recurringChargeRules: Rule[];
}

/**
 * Returns the rent that the lease of a row charges already, if the row is that rent; undefined for the first rent of a new lease. Throws 400 for another
 * rent besides the one that a lease charges by itself, which would be charged twice.
 */
async function findOwnRent(row: WritableRow, execute: ExecuteOperation, { rents, importDate }: WriteContext): Promise<Rule | undefined> {
  const { id, data } = row;
  if (data["kind"] !== "rent" || rents.inPlaceOfOwn.has(id) || isPastCharge(data, importDate)) return undefined;
  const { lease, charged, same } = await findChargedRents(row, execute);
  if (!same && charged.some((rule) => rule.amountCents === lease.rentCents)) throw invalid([chargedTwiceError]);
  return same;
}

/** Returns the rents that the lease of a row charges, and the one of the amount and the day of the row. */
async function findChargedRents({ data, linkedIds }: WritableRow, execute: ExecuteOperation) {
  const { lease, recurringChargeRules } = await execute<LeaseOfCharge>("portfolio", "getLease", "read", { params: { id: linkedIds["lease"]! } });
  const [amountCents, dayOfMonth] = [toCents(data["amount"]), toNumber(data["day_of_month"])];
  const charged = recurringChargeRules.filter(({ kind, status }) => kind === "rent" && status !== "ended");
  const same = charged.find((rule) => rule.amountCents === amountCents && (dayOfMonth ?? rule.dayOfMonth) === rule.dayOfMonth);
  return { lease, charged, same };
}

const chargedTwiceError = {
  path: "kind",
  code: "not_allowed" as const,
  message:
    "The lease charges its rent by itself, so this rent would be charged besides it. Use the kind fee for an amount besides the rent, " +
    "correct amount and day_of_month to those of the lease, or exclude the row. Enter a rent of later months as a rent change of the lease.",
};

/** Gives the rent of a lease the name and the account of its row. */
async function nameRent({ id }: WritableRow, rent: Rule, naming: Naming, execute: ExecuteOperation): Promise<string> {
  const isNamed = Object.entries(naming).every(([member, value]) => rent[member as keyof Naming] === value);
  if (!isNamed) await execute("ledger", "updateRecurringCharge", `${id} name`, { params: { id: rent.id }, body: naming });
  return rent.id;
}

/** Records a later rent of a lease as a rent change, and gives it the name and the account of its row. */
async function changeRentOfLease(row: WritableRow, naming: Naming, execute: ExecuteOperation): Promise<string> {
  const [effectiveDate, rentCents] = [row.data["start_date"]!, toCents(row.data["amount"])];
  const request = { params: { id: row.linkedIds["lease"]! }, body: { effectiveDate, rentCents } };
  const { recurringChargeRules } = await execute<{ recurringChargeRules: RentRule[] }>("portfolio", "createRentChange", row.key, request);
  const rent = recurringChargeRules.find(({ startDate, kind }) => startDate === effectiveDate && kind === "rent");
  // The ledger charges the new rent a little later if it was down.
  if (!rent) throw unavailable();
  return nameRent(row, rent, naming, execute);
}

/** Tells whether the ledger refused a changed row because it is the rent of its lease, with another amount. */
const isRefusedRent = (error: unknown, { data }: WritableRow, amountCents: number | undefined): boolean =>
  error instanceof ApiError && error.code === "resource_in_use" && data["kind"] === "rent" && amountCents !== undefined;

/** Corrects the amount of a later rent, which is a rent change of its lease, and returns its rule. Throws the refusal for the first rent of a lease. */
async function correctRentChange(row: WritableRow, naming: Naming, execute: ExecuteOperation, refusal: unknown): Promise<string> {
  const { start_date: effectiveDate, amount } = row.data;
  const params = { id: row.linkedIds["lease"]! };
  const { lease } = await execute<{ lease: { startDate: string } }>("portfolio", "getLease", "read", { params });
  if (effectiveDate! <= lease.startDate) throw refusal;
  await execute("portfolio", "importLeaseChange", `${row.id} rent`, { params, body: { rentChange: { effectiveDate, rentCents: toCents(amount) } } });
  const { recurringChargeRules } = await execute<{ recurringChargeRules: RentRule[] }>("portfolio", "getLease", "read", { params });
  const rent = recurringChargeRules.find(({ startDate, kind, status }) => startDate === effectiveDate && kind === "rent" && status !== "ended");
  // The ledger charges the corrected rent a little later if it was down.
  if (!rent) throw unavailable();
  return nameRent(row, rent, naming, execute);
}

export const recurringChargeWriter: Writer = {
  /** Creates a recurring charge. The rent that a lease charges by itself is taken instead of a second one. */
  create: async (row, execute, context) => {
    const { id, key, data, linkedIds } = row;
    const kind = data["kind"] ?? "fee";
    const categoryId = context.categoryIdOf(data["category_code"] ?? (kind === "rent" ? RENT_ACCOUNT : FEE_ACCOUNT));
    const naming = omitUndefined({ label: data["label"], categoryId });
    if (context.rents.laterRents.has(id)) return changeRentOfLease(row, naming, execute);
    const rent = await findOwnRent(row, execute, context);
    if (rent) return nameRent(row, rent, naming, execute);
    // The ledger creates the rent of a new lease a little later if it was down.
    if (context.rents.ownRents.get(id)?.isLeaseNew) throw unavailable();
    const body = omitUndefined({
      leaseId: linkedIds["lease"],
      ...naming,
      kind,
      isRentPart: context.rents.inPlaceOfOwn.has(id),
      amountCents: toCents(data["amount"]),
      dayOfMonth: chargeDayOf(data),
      startDate: data["start_date"],
      endDate: data["end_date"],
    });
    return (await execute<{ recordId: string }>("ledger", "importRecurringCharge", key, { body })).recordId;
  },
  /**
   * Changes the terms of the charges that are not posted yet. When earlier months are still to be charged with the previous terms, another recurring
   * charge charges the later ones. The rent of a lease has been changed with the row of the lease.
   */
  update: async (row, recurringChargeId, execute, context) => {
    const changed = changedValues(row);
    const naming = omitUndefined({ label: changed["label"], categoryId: changed["category_code"] && context.categoryIdOf(changed["category_code"]) });
    const rent = context.rents.ownRents.has(row.id)
      ? await findOwnRent(row, execute, context)
      : row.data["kind"] === "rent" && changed["amount"] !== undefined
        ? (await findChargedRents(row, execute)).same
        : undefined;
    if (rent) return nameRent(row, rent, naming, execute);
    const [amountCents, dayOfMonth] = [toCents(changed["amount"]), toNumber(changed["day_of_month"])];
    const body = omitUndefined({ ...naming, amountCents, dayOfMonth, endDate: changed["end_date"] });
    if (Object.keys(body).length === 0) return recurringChargeId;
    const request = { params: { id: recurringChargeId }, body };
    try {
      return (await execute<{ recurringChargeRule: { id: string } }>("ledger", "updateRecurringCharge", row.id, request)).recurringChargeRule.id;
    } catch (error) {
      if (!isRefusedRent(error, row, amountCents)) throw error;
      const categoryId = row.data["category_code"] && context.categoryIdOf(row.data["category_code"]);
      return correctRentChange(row, omitUndefined({ label: row.data["label"], categoryId }), execute, error);
    }
  },
  fields: {
    leaseId: "lease_source_id",
    amountCents: "amount",
    categoryId: "category_code",
    dayOfMonth: "day_of_month",
    startDate: "start_date",
    endDate: "end_date",
    effectiveDate: "start_date",
    rentCents: "amount",
  },
};
