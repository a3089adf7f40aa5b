import type { Vendor } from "@freehold/contract/people/vendors";
import type { Cents } from "@freehold/contract/values";
import { withVersion } from "@freehold/kit/http/etag";
import type { VendorRow } from "./vendors.queries.ts";

/** Returns the API representation of a vendor with its unpaid expenses, or null while they are unknown. */
export const vendorView = ({ version, ...vendor }: VendorRow, outstandingCents: Cents | null): Vendor => withVersion({ ...vendor, outstandingCents }, version);
