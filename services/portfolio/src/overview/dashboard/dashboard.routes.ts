import { dashboard } from "@freehold/contract/dashboard";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { getDashboard } from "./dashboard.ts";

export const dashboardDoor = (ask: Clients) => routes(dashboard, { getDashboard: ({ db, query }) => getDashboard(db, ask, query) });
