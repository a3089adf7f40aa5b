import type { Unit } from "@freehold/contract/properties/units";
import { withVersion } from "@freehold/kit/http/etag";
import type { UnitRow } from "./units.queries.ts";

/** Returns a unit as shown to callers. */
export const unitView = ({ version, ...unit }: UnitRow): Unit => withVersion(unit, version);
