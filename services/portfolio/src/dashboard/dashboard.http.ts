import { dashboard } from "@freehold/contract/dashboard";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../clients.ts";
import { getDashboard } from "./dashboard.ts";

export const dashboardDoor = (ask: Clients) => handlers(dashboard, { getDashboard: ({ db, query }) => getDashboard(db, ask, query) });
