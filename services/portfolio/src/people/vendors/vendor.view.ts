import type { Vendor } from "@freehold/contract/people/vendors";
import type { Cents } from "@freehold/contract/values";
import { withVersion } from "@freehold/kit/http/etag";
import type { VendorRow } from "./vendors.queries.ts";

/** Vendor bills are not recorded yet, so the outstanding amount is always zero. */
const NO_BILLS_CENTS = 0 as Cents;

export const vendorView = ({ version, ...vendor }: VendorRow): Vendor => withVersion({ ...vendor, outstandingCents: NO_BILLS_CENTS }, version);
