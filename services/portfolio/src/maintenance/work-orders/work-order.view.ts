import type { WorkOrder, WorkOrderChange } from "@freehold/contract/maintenance/work-orders";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { withVersion } from "@freehold/kit/http/etag";
import { userReference } from "../../rpc/lookups.ts";
import type { ChangeRow, WorkOrderRow } from "./work-orders.queries.ts";

/** Returns the API representation of a work order with the ids of its expenses, or null while they are unknown. */
export const workOrderView = ({ version, ...workOrder }: WorkOrderRow, expenseIds: string[] | null): WorkOrder =>
  withVersion({ ...workOrder, expenseIds }, version);

/** Returns the API representation of a history entry, with the name of its author when that name is known. */
export const workOrderChangeView = (change: ChangeRow, names: ReadonlyMap<string, string>): WorkOrderChange => ({
  ...change,
  actor: userReference(names, change.actorUserId),
});

interface SentTimes {
  requestedAt?: string | undefined;
  scheduledStart?: string | null | undefined;
  scheduledEnd?: string | null | undefined;
}
interface StoredTimes {
  requestedAt?: Date;
  scheduledStart?: Date | null;
  scheduledEnd?: Date | null;
}

/** Returns the columns set by a request body: the members that are sent, with times as dates. */
export function workOrderColumns<T extends SentTimes>({ requestedAt, scheduledStart, scheduledEnd, ...rest }: T) {
  const times: StoredTimes = {
    ...(requestedAt !== undefined && { requestedAt: new Date(requestedAt) }),
    ...(scheduledStart !== undefined && { scheduledStart: scheduledStart === null ? null : new Date(scheduledStart) }),
    ...(scheduledEnd !== undefined && { scheduledEnd: scheduledEnd === null ? null : new Date(scheduledEnd) }),
  };
  return { ...omitUndefined(rest), ...times };
}
