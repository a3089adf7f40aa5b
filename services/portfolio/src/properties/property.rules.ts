import type { FieldError } from "@freehold/contract/errors";
import { invalid } from "@freehold/kit/errors";

interface Declared {
  units: number;
  occupiedUnits: number;
  managementStartDate?: string | null | undefined;
  managementEndDate?: string | null | undefined;
}

/** What must hold of a property as a whole, whichever of its members a request sent. */
export function holdTogether({ units, occupiedUnits, managementStartDate, managementEndDate }: Declared): void {
  const wrong: FieldError[] = [];
  if (occupiedUnits > units) {
    wrong.push({ path: "occupiedUnits", code: "max", message: `occupiedUnits can be at most units, which is ${units}.` });
  }
  if (managementStartDate && managementEndDate && managementEndDate < managementStartDate) {
    wrong.push({ path: "managementEndDate", code: "before_start", message: "managementEndDate cannot be before managementStartDate." });
  }
  if (wrong.length > 0) throw invalid(wrong);
}
