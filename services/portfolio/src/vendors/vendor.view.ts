import type { Vendor } from "@freehold/contract/vendors";
import { versioned } from "@freehold/kit/version";
import type { VendorRow } from "./vendors.queries.ts";

/** A vendor as callers see it. */
export const vendorView = ({ version, ...vendor }: VendorRow): Vendor => versioned(vendor, version);
