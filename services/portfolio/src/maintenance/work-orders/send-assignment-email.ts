/** E-mail to the vendor to whom a work order was assigned. */
import type { EventOf } from "@freehold/kit/events/subscriptions";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";

interface AssignmentEmail {
  email: string;
  fullName: string;
  number: number;
  title: string;
  location: string;
  dueOn: string | null;
}

/** Returns the recipient and content of the e-mail, or undefined when the vendor was deleted, is no longer assigned or has no e-mail address. */
const findAssignmentEmail = (db: OrgDb, workOrderId: string, vendorId: string): Promise<AssignmentEmail | undefined> =>
  db.first(sql<AssignmentEmail>`select v.email, coalesce(v.contact_name, v.name) as full_name, w.number, w.title, w.due_on,
      concat_ws(', ', p.name, 'unit ' || u.unit_number, p.street_line1, p.street_line2, p.city) as location
    from work_order w join vendor v on v.organization_id = w.organization_id and v.id = w.vendor_id
      join property p on p.organization_id = w.organization_id and p.id = w.property_id
      left join unit u on u.organization_id = w.organization_id and u.id = w.unit_id
    where w.organization_id = ${db.organizationId} and w.id = ${workOrderId} and v.id = ${vendorId} and v.email is not null and v.deleted_at is null`);

/**
 * Sends an e-mail to the assigned vendor, if the event notifies the vendor. The message id is the event id, so a redelivered
 * event sends no second e-mail.
 */
export async function sendAssignmentEmail(db: OrgDb, clients: Clients, { id, entityId, data }: EventOf<"work_order.assigned">): Promise<void> {
  if (data.vendorId === null || !data.notifies.includes("vendor")) return;
  const assignment = await findAssignmentEmail(db, entityId, data.vendorId);
  if (!assignment) return;
  const { name } = await clients.identity.getOrganization(db, {});
  const { email, fullName, number, title, location, dueOn } = assignment;
  const fields = { organizationName: name, fullName, number: String(number), title, place: location, dueOn: dueOn ?? "" };
  const message = { id, channel: "email", to: email, template: "work-order-assigned", fields };
  await clients.communications.sendMessages(db, { messages: [message], queueOnly: true });
}
