/** Name and dependencies of the job that delivers notifications. */
import type { Clients } from "../../clients.ts";
import type { MessageTransports } from "../../messages/transports.ts";

/** Name of the job that delivers notifications by e-mail and text message. */
export const DELIVER_NOTIFICATIONS = "deliver_notifications";

/** Name of the job that deletes old notifications. */
export const DELETE_NOTIFICATIONS = "delete_notifications";

/** Dependencies of deliveries besides the database. */
export interface DeliveryDependencies {
  clients: Clients;
  transports: MessageTransports;
}

/** Name and time zone of the organization that sends a delivery. */
export interface SendingOrganization {
  name: string;
  timezone: string;
}
