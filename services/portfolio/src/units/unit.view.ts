import type { Unit } from "@freehold/contract/units";
import { versioned } from "@freehold/kit/version";
import type { UnitRow } from "./units.queries.ts";

/** A unit as callers see it. */
export const unitView = ({ version, ...unit }: UnitRow): Unit => versioned(unit, version);
