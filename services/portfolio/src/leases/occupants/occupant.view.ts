import type { Occupant } from "@freehold/contract/lease-occupants";
import { withVersion } from "@freehold/kit/http/etag";
import type { OccupantRow } from "./occupants.queries.ts";

/** Somebody under a lease as callers see them. */
export const occupantView = ({ version, ...occupant }: OccupantRow): Occupant => withVersion(occupant, version);
