import { auditLog } from "@freehold/contract/audit-log";
import { handlers } from "@freehold/kit/serve";
import { listAuditEntries } from "./audit-log.ts";

export const auditLogDoor = () => handlers(auditLog, { listAuditEntries: ({ db, query }) => listAuditEntries(db, query) });
