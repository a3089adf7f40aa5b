import type { Unit } from "@freehold/contract/units";
import { withVersion } from "@freehold/kit/http/etag";
import type { UnitRow } from "./units.queries.ts";

/** A unit as callers see it. */
export const unitView = ({ version, ...unit }: UnitRow): Unit => withVersion(unit, version);
