import { dashboard } from "@freehold/contract/overview/dashboard";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { getDashboard } from "./dashboard.ts";

export const dashboardRoutes = (clients: Clients) => routes(dashboard, { getDashboard: ({ db, query }) => getDashboard(db, clients, query) });
