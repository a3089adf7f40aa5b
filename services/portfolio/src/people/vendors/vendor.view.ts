import type { Vendor } from "@freehold/contract/people/vendors";
import type { Cents } from "@freehold/contract/values";
import { withVersion } from "@freehold/kit/http/etag";
import type { VendorRow } from "./vendors.queries.ts";

/** Bills of vendors are not kept here yet: nobody is known to be owed anything. */
const NOTHING = 0 as Cents;

/** A vendor as callers see it. */
export const vendorView = ({ version, ...vendor }: VendorRow): Vendor => withVersion({ ...vendor, outstandingCents: NOTHING }, version);
