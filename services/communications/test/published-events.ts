/** Events that tests publish, and the notifications that follow from them. */
import type { Envelope, EventData, EventType } from "@freehold/contract/events";
import { newId } from "@freehold/kit/db/entity";
import { createEventPublisher } from "../../../test/support/events/messages.ts";
import { eventually } from "../../../test/support/eventually.ts";
import type { Colleague, Office } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";

interface EventOptions<T extends EventType> {
  data: EventData<T>;
  entityId?: string;
  actorUserId?: string | null;
  audience?: Partial<Envelope["audience"]>;
}

/** Returns the envelope of an event. */
export function aTestEvent<T extends EventType>(office: Office, type: T, options: EventOptions<T>): Envelope {
  const { data, entityId = newId(), actorUserId = null } = options;
  const audience = { roles: [], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [], ...options.audience };
  const [entityType] = type.split(".") as [string];
  const { organizationId } = office;
  return { id: newId(), type, organizationId, occurredAt: new Date().toISOString(), entityType, entityId, actorUserId, requestId: null, data, audience };
}

export const paymentData = { tenantId: newId(), leaseId: null, receivedAt: "2026-11-01T12:00:00.000Z" };
export const chargeData = { leaseId: newId(), tenantId: newId(), propertyId: newId(), unitId: newId(), dueDate: "2026-11-01" };

/** Creates a publisher of events. A repeated event is a redelivery. */
export const testPublisher = () => createEventPublisher(running());

type Query = Record<string, string | number | boolean>;

/** Returns the notifications of a user. */
export const listOf = (user: Colleague, query: Query = {}) => user.call("listNotifications", { query });

/** Waits until a user has the given number of notifications, and returns them. */
export async function waitForCount(count: number, user: Colleague, query: Query = {}) {
  return eventually(`${count} notifications`, async () => {
    const response = await listOf(user, query);
    // The total may count a notification that was inserted after the page was read.
    return response.total >= count && response.notifications.length >= Math.min(count, response.pageSize) ? response : undefined;
  });
}

/** Waits until a user's notifications of a type count the given number of events, and returns them, newest first. */
export async function waitForEvents(count: number, user: Colleague, type: EventType) {
  return eventually(`${count} events of ${type}`, async () => {
    const { notifications } = await listOf(user, { type, pageSize: 100 });
    return notifications.reduce((sum, notification) => sum + notification.count, 0) >= count && notifications;
  });
}
