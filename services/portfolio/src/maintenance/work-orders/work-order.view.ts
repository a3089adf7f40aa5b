import type { WorkOrder, WorkOrderChange } from "@freehold/contract/maintenance/work-orders";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { withVersion } from "@freehold/kit/http/etag";
import { userReference } from "../../rpc/lookups.ts";
import type { ChangeRow, WorkOrderRow } from "./work-orders.queries.ts";

/** A work order as callers see it. */
export const workOrderView = ({ version, ...workOrder }: WorkOrderRow): WorkOrder => withVersion({ ...workOrder, expenseIds: [] }, version);

/** A change as callers see it, under the name of who made it when that is known. */
export const workOrderChangeView = (change: ChangeRow, names: ReadonlyMap<string, string>): WorkOrderChange => ({
  ...change,
  actor: userReference(names, change.actorUserId),
});

interface Said {
  requestedAt?: string | undefined;
  scheduledStart?: string | null | undefined;
  scheduledEnd?: string | null | undefined;
}
interface Kept {
  requestedAt?: Date;
  scheduledStart?: Date | null;
  scheduledEnd?: Date | null;
}

/** The members of a request that were sent, with their moments as the row keeps them. */
export function workOrderColumns<T extends Said>({ requestedAt, scheduledStart, scheduledEnd, ...rest }: T) {
  const moments: Kept = {
    ...(requestedAt !== undefined && { requestedAt: new Date(requestedAt) }),
    ...(scheduledStart !== undefined && { scheduledStart: scheduledStart === null ? null : new Date(scheduledStart) }),
    ...(scheduledEnd !== undefined && { scheduledEnd: scheduledEnd === null ? null : new Date(scheduledEnd) }),
  };
  return { ...omitUndefined(rest), ...moments };
}
