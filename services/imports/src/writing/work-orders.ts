/** Work that was asked for or done in the old system. */
import type { Data } from "../validation/draft.ts";
import { cents, noon, propertyOf, said, type Create, type Update } from "./writable-row.ts";

/** The moves from a new work order to where the old system has it. */
const moves: Record<string, readonly string[]> = { open: [], in_progress: ["in_progress"], completed: ["in_progress", "completed"], cancelled: ["cancelled"] };

const moment = (day: string | undefined) => (day === undefined ? undefined : noon(day));

const termsOf = (data: Data) =>
  said({
    title: data["title"],
    description: data["description"],
    priority: data["priority"],
    estimateCents: cents(data["estimate"]),
    requestedAt: moment(data["created_date"]),
    scheduledStart: moment(data["scheduled_date"]),
  });

/** A work order, moved on to where it stands. Its vendor is told nothing: the work was given out in the old system. */
export const createWorkOrder: Create = async (row, perform, { today }) => {
  const { id, data, linked } = row;
  const body = said({ propertyId: await propertyOf(row, perform), unitId: linked["unit"], ...termsOf(data) });
  const { workOrder } = await perform<{ workOrder: { id: string } }>("portfolio", "createWorkOrder", id, { body });
  const params = { id: workOrder.id };
  if (linked["vendor"] !== undefined) await perform("portfolio", "updateWorkOrder", `${id} vendor`, { params, body: { vendorId: linked["vendor"] } });
  const done = data["completed_date"];
  for (const status of moves[data["status"] ?? "open"] ?? []) {
    const completedAt = status === "completed" && done !== undefined && done < today ? noon(done) : undefined;
    await perform("portfolio", "transitionWorkOrder", `${id} ${status}`, { params, body: said({ status, completedAt }) });
  }
  return workOrder.id;
};
export const updateWorkOrder: Update = async ({ id, data }, workOrderId, perform) => {
  await perform("portfolio", "updateWorkOrder", id, { params: { id: workOrderId }, body: termsOf(data) });
};
