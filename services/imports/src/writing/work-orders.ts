/** Writer of work orders. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { FieldValues } from "../validation/draft.ts";
import { changedValues, getPropertyId, middayOf, toCents, type Writer } from "./writable-row.ts";

const toInstant = (date: string | undefined, timezone: string) => (date === undefined ? undefined : middayOf(date, timezone));

const workOrderFields = (data: FieldValues, timezone: string) =>
  omitUndefined({
    title: data["title"],
    description: data["description"],
    priority: data["priority"],
    estimateCents: toCents(data["estimate"]),
    requestedAt: toInstant(data["created_date"], timezone),
    scheduledStart: toInstant(data["scheduled_date"], timezone),
  });

export const workOrderWriter: Writer = {
  /** Creates a work order with its vendor and its status. A completion on the day of the import is dated now. */
  create: async (row, execute, context) => {
    const { key, data, linkedIds } = row;
    const { importDate, timezone } = context;
    const { status = "open", completed_date: completedDate } = data;
    const completedAt = status === "completed" && completedDate !== undefined && completedDate < importDate ? middayOf(completedDate, timezone) : undefined;
    const references = { propertyId: await getPropertyId(row, context), unitId: linkedIds["unit"], vendorId: linkedIds["vendor"] };
    const body = omitUndefined({ ...references, ...workOrderFields(data, timezone), status, completedAt });
    return (await execute<{ recordId: string }>("portfolio", "importWorkOrder", key, { body })).recordId;
  },
  update: async (row, workOrderId, execute, { timezone }) => {
    await execute("portfolio", "updateWorkOrder", row.id, { params: { id: workOrderId }, body: workOrderFields(changedValues(row), timezone) });
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
