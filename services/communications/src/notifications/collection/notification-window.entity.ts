/** Table of the windows in which events are counted for notifications of the office. */
import { defineEntity, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

/** Events of one actor in a window. */
export interface ActorCount {
  count: number;
  /** Entity of the latest event. */
  entityId: string;
}

const NotificationWindowSchema = defineEntity({
  name: "NotificationWindow",
  tableName: "notification_window",
  ...inOrganization,
  indexes: [{ name: "notification_window_by_close", properties: ["organizationId", "closesAt"] }],
  uniques: [
    {
      name: "notification_window_open",
      expression: "create unique index notification_window_open on notification_window (organization_id, type) where is_open",
    },
  ],
  properties: {
    ...orgColumns,
    type: p.text(),
    entityType: p.text(),
    closesAt: p.datetime(3),
    isOpen: p.boolean(),
    isPending: p.boolean(),
    fannedOutAt: p.datetime(3).nullable(),
    total: p.integer(),
    actors: p.json().$type<Record<string, ActorCount>>(),
  },
});

/**
 * Window in which the events of a type are counted, in total and by the user who caused them (`system` for none). `isPending` while users are not
 * notified of all that was counted.
 */
export class NotificationWindow extends NotificationWindowSchema.class {}
NotificationWindowSchema.setClass(NotificationWindow);
