/** What must hold of a parking right as a whole, however it came to be. */
import type { FieldError } from "@freehold/contract/errors";
import { invalid } from "@freehold/kit/errors";

export interface Terms {
  effectiveStart: string;
  effectiveEnd?: string | null | undefined;
  rateBasis: string;
  ratePerSpaceCents?: number | null | undefined;
  billingScheduleId?: string | null | undefined;
  recurringChargeRuleId?: string | null | undefined;
}

/** Refuses terms that do not hold together: a rate without fixed pricing, two linked charges, an end before the start. */
export function refuseLooseTerms(right: Terms): void {
  const wrong: FieldError[] = [];
  if (typeof right.ratePerSpaceCents === "number" && right.rateBasis !== "fixed")
    wrong.push({
      path: "ratePerSpaceCents",
      code: "not_allowed",
      message: `ratePerSpaceCents goes with rateBasis fixed, and rateBasis is ${right.rateBasis}. Send ratePerSpaceCents null, or rateBasis fixed.`,
    });
  if (right.billingScheduleId && right.recurringChargeRuleId)
    wrong.push({
      path: "recurringChargeRuleId",
      code: "not_allowed",
      message: "At most one charge can be linked. Send null for either recurringChargeRuleId or billingScheduleId.",
    });
  if (right.effectiveEnd && right.effectiveEnd < right.effectiveStart)
    wrong.push({ path: "effectiveEnd", code: "before_start", message: `effectiveEnd cannot be before ${right.effectiveStart}, the day of effectiveStart.` });
  if (wrong.length > 0) throw invalid(wrong);
}

interface Stall {
  id: string;
  propertyId: string;
  unitType: string;
}

/** Refuses stalls that are no parking spaces of the property, or are named twice; each by where the body has it. */
export function refuseOtherStalls(stallUnitIds: readonly string[], units: readonly Stall[], propertyId: string): void {
  const wrong = stallUnitIds.flatMap((id, index): FieldError[] => {
    const path = `stallUnitIds.${index}`;
    const unit = units.find((each) => each.id === id);
    if (!unit) return [{ path, code: "not_found", message: "There is no unit with this id. Check stallUnitIds." }];
    if (unit.propertyId !== propertyId)
      return [{ path, code: "mismatch", message: `${path} is a unit of another property. Name parking spaces at the lease's.` }];
    if (unit.unitType !== "parking_space")
      return [{ path, code: "mismatch", message: `${path} is no parking space. Name units of the type parking_space, or write stallLabels.` }];
    if (stallUnitIds.indexOf(id) < index) return [{ path, code: "unique", message: `${path} names a stall a second time.` }];
    return [];
  });
  if (wrong.length > 0) throw invalid(wrong);
}
