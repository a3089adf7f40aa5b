/** Writer of work orders. */
import { invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { FieldValues } from "../validation/draft.ts";
import { nextStatusesFor } from "../validation/references/work-order-status.rules.ts";
import type { ExecuteOperation } from "./operation-batcher.ts";
import { changedValues, getPropertyId, middayOf, toCents, type WritableRow, type WriteContext, type Writer } from "./writable-row.ts";

/** Returns the instant of a date, or of a time of day in the time zone of the office unless it has an offset. */
function toInstant(time: string | undefined, timezone: string): string | undefined {
  if (time === undefined || !time.includes("T")) return time === undefined ? undefined : middayOf(time, timezone);
  const hasOffset = /(?:Z|[+-]\d{2}:\d{2})$/.test(time);
  return new Date(hasOffset ? time : Temporal.PlainDateTime.from(time).toZonedDateTime(timezone).epochMilliseconds).toISOString();
}

const workOrderFields = (data: FieldValues, timezone: string) =>
  omitUndefined({
    title: data["title"],
    description: data["description"],
    priority: data["priority"],
    estimateCents: toCents(data["estimate"]),
    requestedAt: toInstant(data["created_date"], timezone),
    scheduledStart: toInstant(data["scheduled_date"], timezone),
  });

/** Returns the time of a completion before the day of the import. One on that day is dated now. */
const completionTime = ({ completed_date }: FieldValues, { importDate, timezone }: WriteContext): string | undefined =>
  completed_date !== undefined && completed_date < importDate ? middayOf(completed_date, timezone) : undefined;

/** Returns the statuses to set for a row whose status has changed. Throws 400 for a status that the work order cannot take. */
async function requireNextStatuses({ changes }: WritableRow, id: string, execute: ExecuteOperation): Promise<readonly string[]> {
  const change = changes.find(({ field }) => field === "status");
  if (!change) return [];
  const { status } = (await execute<{ workOrder: { status: string } }>("portfolio", "getWorkOrder", "read", { params: { id } })).workOrder;
  const next = nextStatusesFor(status, change);
  if ("error" in next) throw invalid([next.error]);
  return next.statuses;
}

/** Returns the ids of the records to which the changed references of a row lead. */
async function changedReferences(row: WritableRow, context: WriteContext): Promise<Record<string, string>> {
  const hasChanged = (...fields: string[]) => row.changes.some(({ field }) => fields.includes(field));
  const isMoved = hasChanged("property_source_id", "property_name", "unit_source_id", "unit_number");
  return omitUndefined({
    ...(isMoved && { propertyId: await getPropertyId(row, context), unitId: row.linkedIds["unit"] }),
    ...(hasChanged("vendor_source_id", "vendor_name") && { vendorId: row.linkedIds["vendor"] }),
  });
}

export const workOrderWriter: Writer = {
  /** Creates a work order with its vendor and its status. A completion on the day of the import is dated now. */
  create: async (row, execute, context) => {
    const { key, data, linkedIds } = row;
    const { timezone } = context;
    const { status = "open" } = data;
    const completedAt = status === "completed" ? completionTime(data, context) : undefined;
    const references = { propertyId: await getPropertyId(row, context), unitId: linkedIds["unit"], vendorId: linkedIds["vendor"] };
    const body = omitUndefined({ ...references, ...workOrderFields(data, timezone), status, completedAt });
    return (await execute<{ recordId: string }>("portfolio", "importWorkOrder", key, { body })).recordId;
  },
  /** Updates a work order and changes its status, in one operation. */
  update: async (row, workOrderId, execute, context) => {
    const transitions = await requireNextStatuses(row, workOrderId, execute);
    const fields = { ...workOrderFields(changedValues(row), context.timezone), ...(await changedReferences(row, context)) };
    if (transitions.length === 0 && Object.keys(fields).length === 0) return;
    const completedAt = transitions.includes("completed") ? completionTime(row.data, context) : undefined;
    const body = omitUndefined({ ...fields, transitions, completedAt });
    await execute("portfolio", "importWorkOrderChange", row.id, { params: { id: workOrderId }, body });
  },
  fields: {
    propertyId: "property_source_id",
    unitId: "unit_source_id",
    vendorId: "vendor_source_id",
    requestedAt: "created_date",
    scheduledStart: "scheduled_date",
    completedAt: "completed_date",
  },
};
