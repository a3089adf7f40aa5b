import type { Unit } from "@freehold/contract/properties/units";
import { withVersion } from "@freehold/kit/http/etag";
import type { UnitRow } from "./units.queries.ts";

/** Returns the API representation of a unit, with its version as ETag. */
export const unitView = ({ version, ...unit }: UnitRow): Unit => withVersion(unit, version);
