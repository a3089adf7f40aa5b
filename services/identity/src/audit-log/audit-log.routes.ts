import { auditLog } from "@freehold/contract/identity/audit-log";
import { routes } from "@freehold/kit/http/routes";
import { listAuditEntries } from "./audit-log.ts";

export const auditLogRoutes = () => routes(auditLog, { listAuditEntries: ({ db, query }) => listAuditEntries(db, query) });
