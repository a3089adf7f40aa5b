import { search as contract } from "@freehold/contract/overview/search";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { search } from "./search.ts";

export const searchRoutes = (clients: Clients) => routes(contract, { search: ({ db, query }) => search(db, clients, query) });
