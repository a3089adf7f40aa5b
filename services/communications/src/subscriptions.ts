/** Event handlers of communications: notifications, and participants of conversations. */
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import type { Clients } from "./clients.ts";
import { followParticipant } from "./conversations/participants.ts";
import { eventNotifications } from "./notifications/event-notifications.ts";

/** Creates the event handlers. Events for the whole office are counted in windows of the given minutes. */
export const subscriptions = (clients: Clients, windowMinutes: number): Subscriptions => ({
  ...eventNotifications(clients, windowMinutes),
  "tenant.updated": (db, event, once) => followParticipant(db, clients, event, once, "tenant"),
  "tenant.deleted": (db, event, once) => followParticipant(db, clients, event, once, "tenant"),
  "tenant.merged": (db, event, once) => followParticipant(db, clients, event, once, "tenant"),
  "vendor.updated": (db, event, once) => followParticipant(db, clients, event, once, "vendor"),
  "vendor.deleted": (db, event, once) => followParticipant(db, clients, event, once, "vendor"),
});
