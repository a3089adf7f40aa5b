/** Rules of agreements on management fees: terms that fit together, and days on which an agreement applies. */
import type { ManagementFeeAgreement as View } from "@freehold/contract/payables/management-fees";
import { invalid } from "@freehold/kit/errors";

type Terms = Pick<
  View,
  "effectiveFrom" | "effectiveTo" | "feeType" | "percentBps" | "flatCents" | "minimumCents" | "maximumCents" | "includedChargeTypes" | "managerKeepsChargeTypes"
>;
type FieldError = Parameters<typeof invalid>[0][number];

/** Throws a 400 that names each term that does not fit the others. */
export function requireCoherentTerms(terms: Terms): void {
  const errors = [...amountErrors(terms), ...periodErrors(terms), ...chargeTypeErrors(terms)];
  if (errors.length > 0) throw invalid(errors);
}

const isFlat = ({ feeType }: Pick<Terms, "feeType">): boolean => feeType === "flat_per_month" || feeType === "flat_per_unit";

function* amountErrors(terms: Terms): Generator<FieldError> {
  const { feeType, minimumCents, maximumCents } = terms;
  const [needed, other] = isFlat(terms) ? (["flatCents", "percentBps"] as const) : (["percentBps", "flatCents"] as const);
  if (terms[needed] === null) yield { path: needed, code: "required", message: `A fee of type ${feeType} needs ${needed}. Set it.` };
  if (terms[other] !== null) yield { path: other, code: "not_allowed", message: `A fee of type ${feeType} has no ${other}. Set it to null.` };
  if (minimumCents !== null && maximumCents !== null && maximumCents < minimumCents)
    yield { path: "maximumCents", code: "min", message: `maximumCents cannot be below minimumCents ${minimumCents}.` };
}

function* periodErrors({ effectiveFrom, effectiveTo }: Terms): Generator<FieldError> {
  if (effectiveTo !== null && effectiveTo < effectiveFrom)
    yield { path: "effectiveTo", code: "before_start", message: `effectiveTo cannot be before effectiveFrom ${effectiveFrom}.` };
}

function* chargeTypeErrors({ includedChargeTypes, managerKeepsChargeTypes }: Terms): Generator<FieldError> {
  const deposits = "Deposits belong to tenants and bear no fees. Leave deposit out.";
  if (includedChargeTypes.includes("deposit")) yield { path: "includedChargeTypes", code: "not_allowed", message: deposits };
  if (managerKeepsChargeTypes.includes("deposit")) yield { path: "managerKeepsChargeTypes", code: "not_allowed", message: deposits };
  const both = managerKeepsChargeTypes.filter((type) => includedChargeTypes.includes(type));
  if (both.length > 0)
    yield { path: "managerKeepsChargeTypes", code: "overlap", message: `${both.join(", ")} is also in includedChargeTypes. Name each type in one of them.` };
}

type Days = Pick<View, "effectiveFrom" | "effectiveTo">;

/** Returns true if an agreement applies on a day. */
export const appliesOn = ({ effectiveFrom, effectiveTo }: Days, day: string): boolean => effectiveFrom <= day && (effectiveTo === null || day <= effectiveTo);
