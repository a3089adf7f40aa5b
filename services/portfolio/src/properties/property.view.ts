import type { Property } from "@freehold/contract/properties/properties";
import type { Cents } from "@freehold/contract/values";
import { withVersion } from "@freehold/kit/http/etag";
import type { PropertyRow } from "./properties.queries.ts";

/** Returns the API representation of a property. The overdue rent is omitted while the ledger is unavailable. */
export const propertyView = ({ version, owners, ...property }: PropertyRow, overduePostedRentCents: Cents | null): Property =>
  withVersion(
    {
      ...property,
      ownerIds: owners.map(({ id }) => id),
      ...(overduePostedRentCents !== null && { overduePostedRentCents }),
      relations: { owners },
    },
    version,
  );
