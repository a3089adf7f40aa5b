import type { Occupant } from "@freehold/contract/leases/lease-occupants";
import { withVersion } from "@freehold/kit/http/etag";
import type { OccupantRow } from "./occupants.queries.ts";

/** Returns an occupant as shown to callers. */
export const occupantView = ({ version, ...occupant }: OccupantRow): Occupant => withVersion(occupant, version);
