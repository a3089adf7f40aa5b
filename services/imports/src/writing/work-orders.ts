/** Writer of work orders. */
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { FieldValues } from "../validation/draft.ts";
import { completeRecord } from "./incomplete-record.ts";
import { getPropertyId, middayOf, toCents, type Writer } from "./writable-row.ts";

/** Statuses to set, in order, to bring a new work order to each status. */
const transitions: Record<string, readonly string[]> = {
  open: [],
  in_progress: ["in_progress"],
  completed: ["in_progress", "completed"],
  cancelled: ["cancelled"],
};

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
  /** Creates a work order and moves it to its status. The vendor is assigned without a notification, because the vendor has the work already. */
  create: async (row, execute, { importDate, timezone }) => {
    const { id, data, linkedIds } = row;
    const body = omitUndefined({ propertyId: await getPropertyId(row, execute), unitId: linkedIds["unit"], ...workOrderFields(data, timezone) });
    const { workOrder } = await execute<{ workOrder: { id: string } }>("portfolio", "createWorkOrder", id, { body });
    const params = { id: workOrder.id };
    const completedDate = data["completed_date"];
    await completeRecord(workOrder.id, "The work order was created, but a later change was refused. Complete the work order by hand.", async () => {
      if (linkedIds["vendor"] !== undefined) await execute("portfolio", "updateWorkOrder", `${id} vendor`, { params, body: { vendorId: linkedIds["vendor"] } });
      for (const status of transitions[data["status"] ?? "open"] ?? []) {
        const completedAt = status === "completed" && completedDate !== undefined && completedDate < importDate ? middayOf(completedDate, timezone) : undefined;
        await execute("portfolio", "transitionWorkOrder", `${id} ${status}`, { params, body: omitUndefined({ status, completedAt }) });
      }
    });
    return workOrder.id;
  },
  update: async ({ id, data }, workOrderId, execute, { timezone }) => {
    await execute("portfolio", "updateWorkOrder", id, { params: { id: workOrderId }, body: workOrderFields(data, timezone) });
  },
};
