import { owners } from "@freehold/contract/owners";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../clients.ts";
import { createOwner, deleteOwner, getOwner, listOwners } from "./owners.ts";

export const ownersDoor = (ask: Clients) =>
  handlers(owners, {
    listOwners: ({ db, query }) => listOwners(db, query),
    createOwner: ({ db, body }) => createOwner(db, body),
    getOwner: ({ db, params }) => getOwner(db, ask, params.id),
    deleteOwner: ({ db, params }) => deleteOwner(db, params.id),
  });
