/** Records that an import creates but never changes, because they are posted in the ledger, and fields that are fixed once a record is created. */
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate, ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "./draft.ts";
import type { KnownIdentity } from "./find-matches.ts";

const createOnlyTypes = ["deposit", "opening_balance", "charge", "payment", "expense"] as const;
type CreateOnlyType = (typeof createOnlyTypes)[number];

/** Tells whether rows of a type never change their record. */
export const isCreateOnly = (entityType: ImportEntityType): entityType is CreateOnlyType => (createOnlyTypes as readonly string[]).includes(entityType);

/** Types with fields that are fixed: for another lease, kind or first day, a recurring charge is ended and another one created. */
type FixedFieldsType = CreateOnlyType | "recurring_charge";
const DEFAULT_KIND = "fee";

/** Returns those changes that an import refuses: all of a posted record, and of a recurring charge those that make it another one. */
export function refusedChanges(entityType: ImportEntityType, changes: Candidate["changes"]): Candidate["changes"] {
  if (entityType !== "recurring_charge") return isCreateOnly(entityType) ? changes : [];
  return changes.filter(({ field, from, to }) => {
    if (field === "kind") return (from ?? DEFAULT_KIND) !== to;
    return (field === "start_date" || field === "lease_source_id") && from !== null;
  });
}

/** Tells whether records of a type refuse all changes or some. */
export const hasFixedFields = (entityType: ImportEntityType): entityType is FixedFieldsType => isCreateOnly(entityType) || entityType === "recurring_charge";

const isZero = (amount: string | undefined): boolean => amount === undefined || !/[1-9]/.test(amount);

/** Tells whether a row posts nothing: a balance of zero. */
export const postsNothing = (entityType: ImportEntityType, { balance, prepaid }: FieldValues): boolean =>
  entityType === "opening_balance" && isZero(balance) && isZero(prepaid);

/** Returns the sentence that says which record to correct by hand, and how. */
function correctionOf(entityType: FixedFieldsType, { entityId, data }: KnownIdentity): string {
  const prepayment = isZero(data["prepaid"]) ? "" : ", and reverse the payment of the prepayment";
  const corrections: Record<FixedFieldsType, string> = {
    recurring_charge: `end the recurring charge ${entityId}`,
    deposit: `change the security deposit of the lease (PATCH /api/trust/security-deposits/{id}) or record a receipt for it`,
    opening_balance:
      isZero(data["balance"]) || data["balance"]!.startsWith("-")
        ? `reverse the payment of the prepayment (payment ${entityId})`
        : `void the charge "Opening balance" (charge ${entityId})${prepayment}`,
    charge: `void the charge ${entityId}`,
    payment: `reverse the payment ${entityId}`,
    expense: `void the expense ${entityId}`,
  };
  return corrections[entityType];
}

/** Types whose correction removes the record, so that the row can be imported as a new one. */
const replaceable = new Set<ImportEntityType>(["opening_balance", "charge", "payment", "expense", "recurring_charge"]);

/** Returns the error of a row that differs from the record that an earlier import created. */
export function postedRecordError(entityType: FixedFieldsType, identity: KnownIdentity, changes: Candidate["changes"]): FieldError {
  const differences = changes.map(({ field, from, to }) => `${field} was ${from ?? "empty"} and is ${to ?? "empty"}`).join(", ");
  const then = replaceable.has(entityType) ? ", then resolve this row with the action create" : "";
  const fixed = isCreateOnly(entityType) ? "what it has posted" : changes.map(({ field }) => field).join(" and ");
  const restore = `or restore ${changes.map(({ field }) => field).join(" and ")} in the file, or exclude the row`;
  return {
    path: changes[0]!.field,
    code: "not_allowed",
    message: `This row was imported before: ${differences}. An import does not change ${fixed}. To correct it, ${correctionOf(entityType, identity)}${then}; ${restore}.`,
  };
}
