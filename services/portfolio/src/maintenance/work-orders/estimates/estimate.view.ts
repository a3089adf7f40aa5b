import type { WorkOrderEstimate } from "@freehold/contract/maintenance/work-orders";
import { withVersion } from "@freehold/kit/http/etag";
import { userReference } from "../../../rpc/lookups.ts";
import type { EstimateRow } from "./estimates.queries.ts";

/** An estimate as callers see it, under the name of who decided on it when that is known. */
export const estimateView = ({ version, ...estimate }: EstimateRow, names: ReadonlyMap<string, string>): WorkOrderEstimate =>
  withVersion({ ...estimate, decidedBy: userReference(names, estimate.decidedByUserId) }, version);
