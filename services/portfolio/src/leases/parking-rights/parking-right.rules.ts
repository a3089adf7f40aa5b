/** Consistency of a parking right. */
import type { FieldError } from "@freehold/contract/errors";
import { invalid } from "@freehold/kit/errors";

export interface ParkingTerms {
  effectiveStart: string;
  effectiveEnd?: string | null | undefined;
  rateBasis: string;
  ratePerSpaceCents?: number | null | undefined;
  billingScheduleId?: string | null | undefined;
  recurringChargeRuleId?: string | null | undefined;
}

/** Throws 400 when a rate is given without fixed pricing, two charges are linked, or the right ends before it starts. */
export function requireConsistentParkingTerms(right: ParkingTerms): void {
  const errors: FieldError[] = [];
  if (typeof right.ratePerSpaceCents === "number" && right.rateBasis !== "fixed")
    errors.push({
      path: "ratePerSpaceCents",
      code: "not_allowed",
      message: `ratePerSpaceCents goes with rateBasis fixed, and rateBasis is ${right.rateBasis}. Send ratePerSpaceCents null, or rateBasis fixed.`,
    });
  if (right.billingScheduleId && right.recurringChargeRuleId)
    errors.push({
      path: "recurringChargeRuleId",
      code: "not_allowed",
      message: "At most one charge can be linked. Send null for either recurringChargeRuleId or billingScheduleId.",
    });
  if (right.effectiveEnd && right.effectiveEnd < right.effectiveStart)
    errors.push({ path: "effectiveEnd", code: "before_start", message: `effectiveEnd cannot be before ${right.effectiveStart}, the day of effectiveStart.` });
  if (errors.length > 0) throw invalid(errors);
}

interface StallUnit {
  id: string;
  propertyId: string;
  unitType: string;
}

/** Throws 400 that names each stall, by its path in the request body, that is not a parking space of the property or is listed twice. */
export function requireStallsAtProperty(stallUnitIds: readonly string[], units: readonly StallUnit[], propertyId: string): void {
  const errors = stallUnitIds.flatMap((id, index): FieldError[] => {
    const path = `stallUnitIds.${index}`;
    const unit = units.find((candidate) => candidate.id === id);
    if (!unit) return [{ path, code: "not_found", message: "There is no unit with this id. Check stallUnitIds." }];
    if (unit.propertyId !== propertyId)
      return [{ path, code: "mismatch", message: `${path} is a unit of another property. Name parking spaces at the lease's.` }];
    if (unit.unitType !== "parking_space")
      return [{ path, code: "mismatch", message: `${path} is no parking space. Name units of the type parking_space, or write stallLabels.` }];
    if (stallUnitIds.indexOf(id) < index) return [{ path, code: "unique", message: `${path} names a stall a second time.` }];
    return [];
  });
  if (errors.length > 0) throw invalid(errors);
}
