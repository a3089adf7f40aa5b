import type { Occupant } from "@freehold/contract/lease-occupants";
import { versioned } from "@freehold/kit/version";
import type { OccupantRow } from "./occupants.queries.ts";

/** Somebody under a lease as callers see them. */
export const occupantView = ({ version, ...occupant }: OccupantRow): Occupant => versioned(occupant, version);
