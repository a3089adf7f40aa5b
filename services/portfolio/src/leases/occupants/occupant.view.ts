import type { Occupant } from "@freehold/contract/leases/lease-occupants";
import { withVersion } from "@freehold/kit/http/etag";
import type { OccupantRow } from "./occupants.queries.ts";

/** Returns the API representation of an occupant. */
export const occupantView = ({ version, ...occupant }: OccupantRow): Occupant => withVersion(occupant, version);
