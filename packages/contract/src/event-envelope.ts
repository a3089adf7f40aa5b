import { z } from "zod";
import { roles } from "./roles.ts";
import { Id, Instant } from "./values.ts";

/** Recipients of an event: office roles, the named portal subjects, and single users. A private event names only users. */
export const Audience = z.strictObject({
  roles: z.array(z.enum(roles)).describe("Roles whose users receive the event."),
  tenantIds: z.array(Id).default([]).describe("IDs of the tenants whose portal users receive the event."),
  ownerIds: z.array(Id).default([]).describe("IDs of the owners whose portal users receive the event."),
  vendorIds: z.array(Id).default([]).describe("IDs of the vendors whose portal users receive the event."),
  userIds: z.array(Id).default([]).describe("IDs of the single users who receive the event."),
});
export type Audience = z.output<typeof Audience>;

/** Changed members of a resource with their values before and after. */
const Changes = z.strictObject({
  before: z.record(z.string(), z.unknown()).describe("Changed members with their previous values."),
  after: z.record(z.string(), z.unknown()).describe("Changed members with their new values."),
});
export type Changes = z.output<typeof Changes>;

/** Event as published on NATS. The gateway relays everything except the audience, the mark of history, and the changes and the client address, which are for the audit log. */
export const Envelope = z.strictObject({
  id: Id.describe("ID of the event."),
  type: z.string().describe("Type of the event, such as `payment.received`."),
  organizationId: Id.describe("ID of the organization the event belongs to."),
  occurredAt: Instant.describe("Time at which the event occurred."),
  entityType: z.string().describe("Type of the resource the event is about, such as `payment`."),
  entityId: Id.describe("ID of the resource the event is about."),
  actorUserId: Id.nullable().describe("ID of the user or service key that caused the event. Null for an event caused by the system."),
  requestId: z.string().nullable().describe("`X-Request-Id` of the request that caused the event. Null for an event caused by the system."),
  clientAddress: z.string().optional().describe("Network address of the caller, for the audit log. Absent for an event caused by the system."),
  data: z.record(z.string(), z.unknown()).describe("Data of the event, as defined for its type."),
  changes: Changes.optional().describe("Changed members of the resource, for the audit log."),
  isHistory: z.literal(true).optional().describe("True for an imported record of the past, of which no person is notified. Absent for any other event."),
  audience: Audience.describe("Recipients of the event."),
});
export type Envelope = z.output<typeof Envelope>;
