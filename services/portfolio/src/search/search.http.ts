import { search as contract } from "@freehold/contract/search";
import { handlers } from "@freehold/kit/serve";
import { search } from "./search.ts";

export const searchDoor = () => handlers(contract, { search: ({ db, query }) => search(db, query) });
