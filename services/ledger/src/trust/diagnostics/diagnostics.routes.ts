import { diagnostics } from "@freehold/contract/trust/diagnostics";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { listDiagnostics } from "./diagnostics.ts";

export const diagnosticRoutes = (clients: Clients) =>
  routes(diagnostics, { listDiagnostics: async ({ db, query }) => ({ diagnostics: await listDiagnostics(db, clients, query.key) }) });
