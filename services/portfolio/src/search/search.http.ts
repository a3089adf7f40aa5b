import { search as contract } from "@freehold/contract/search";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../clients.ts";
import { search } from "./search.ts";

export const searchDoor = (ask: Clients) => handlers(contract, { search: ({ db, query }) => search(db, ask, query) });
