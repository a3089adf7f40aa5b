import { z } from "zod";
import { area } from "./operation.ts";
import { admins } from "./roles.ts";
import { Id, Instant, listQuery, page, PlainDate, text } from "./values.ts";

const State = z.record(z.string(), z.unknown()).nullable();

export const AuditEntry = z
  .strictObject({
    id: Id,
    occurredAt: Instant,
    actorUserId: Id.nullable().meta({ description: "The user or the service key that did it; null for somebody who was not signed in." }),
    action: z.string(),
    entityType: z.string(),
    entityId: Id,
    before: State.meta({ description: "The members that differ, as they were; null for what is new." }),
    after: State.meta({ description: "The members that differ, as they are, or all of what is new." }),
    requestId: z.string().nullable(),
    ip: z.string().nullable(),
  })
  .meta({ id: "AuditEntry", description: "One change; nobody can alter it." });
export type AuditEntry = z.output<typeof AuditEntry>;

export const auditLog = area("Accounts", "identity", {
  listAuditEntries: {
    method: "GET",
    path: "/api/accounts/current/audit-log",
    summary: "read the audit log",
    access: admins,
    description:
      "What was changed of the organization, its users, invites, sessions, consents and service keys, from what to what. What people did to properties, units, owners, tenants, vendors, leases, work orders and all else of the portfolio follows within a second: by whom, to what, and which of its own members were what before and are what now; of what is new, and of what only hangs on it (occupants, fees, areas), as much as the event says, with `before` null. A tax id stands there as `[hidden]`, a very long text by its length. Of money it has what was posted by hand, voided or reversed. Actions are `<entity>.<past tense>`, such as `user.updated`. It holds no password, token or secret. Entries are kept for seven years unless the deployment says otherwise.",
    query: listQuery(
      ["occurredAt"],
      {
        actorUserId: Id.optional(),
        entityType: text(1, 80).optional(),
        entityId: Id.optional(),
        action: text(1, 80).optional(),
        occurredAfter: PlainDate.optional(),
        occurredBefore: PlainDate.optional(),
      },
      "desc",
    ),
    returns: page("auditEntries", AuditEntry),
  },
});
