import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { admins } from "../roles.ts";
import { Id, Instant, listQuery, page, PlainDate, text } from "../values.ts";

const State = z.record(z.string(), z.unknown()).nullable();

export const AuditEntry = z
  .strictObject({
    id: Id.describe("ID of the audit entry."),
    occurredAt: Instant.describe("Time at which the change was made."),
    actorUserId: Id.nullable().describe("ID of the user or service key that made the change. Null for a person who was not signed in."),
    action: z.string().describe("Action as `<entity>.<past tense>`, such as `user.updated`."),
    entityType: z.string().describe("Type of the changed resource, such as `user` or `lease`."),
    entityId: Id.describe("ID of the changed resource."),
    before: State.describe("Changed members with their previous values. Null for a new resource."),
    after: State.describe("Changed members with their new values; for a new resource, all its members. Null when the action has no values."),
    requestId: z.string().nullable().describe("`X-Request-Id` of the request that made the change, or null."),
    ip: z.string().nullable().describe("Network address of the caller, or null when it is not known."),
  })
  .meta({ id: "AuditEntry", description: "Immutable record of one change." });
export type AuditEntry = z.output<typeof AuditEntry>;

export const auditLog = operationGroup("Accounts", "identity", {
  listAuditEntries: {
    method: "GET",
    path: "/api/accounts/current/audit-log",
    summary: "read the audit log",
    access: admins,
    description: [
      "Contains every change of the organization, its users, invites, sessions, consents and service keys, with the values before and after, and for the changes of every service the network address of the caller.",
      "Changes of properties, units, owners, tenants, vendors, leases, work orders and all other portfolio resources follow within a second, with the changed members before and after. For new resources, and for dependent resources such as occupants, fees and inspection areas, `after` contains the data of the event and `before` is null. A tax ID is shown as `[hidden]`, a very long text by its length.",
      "Of the ledger, the log contains manual postings, changed, credited and voided charges, reversed and refunded payments, released allocations, bank deposits, closed and reopened periods, and changes of recurring charges; of communications, blasts and e-mail accounts that were added, changed or deleted; and imports with their mapping profiles. It never contains passwords, tokens or secrets. Entries are kept for seven years unless the deployment is configured otherwise.",
    ].join("\n\n"),
    query: listQuery(["occurredAt"], {
      actorUserId: Id.optional().describe("Return only changes made by this user or service key."),
      entityType: text(1, 80).optional().describe("Return only changes of resources of this type, such as `lease`."),
      entityId: Id.optional().describe("Return only changes of the resource with this ID."),
      action: text(1, 80).optional().describe("Return only changes with this action, such as `user.updated`."),
      occurredAfter: PlainDate.optional().describe("Return only changes made on or after this date, in the organization's time zone."),
      occurredBefore: PlainDate.optional().describe("Return only changes made on or before this date, in the organization's time zone."),
    }),
    response: page("auditEntries", AuditEntry),
  },
});
