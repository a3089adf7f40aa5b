/** Routes of transfers between bank accounts. */
import { transfers } from "@freehold/contract/trust/transfers";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createTransfer, getTransfer, listTransfers, voidTransfer } from "./transfers.ts";

export const transferRoutes = (clients: Clients) =>
  routes(transfers, {
    listTransfers: ({ db, query }) => listTransfers(db, query),
    createTransfer: ({ db, body }) => createTransfer(db, clients, body),
    getTransfer: async ({ db, params }) => ({ transfer: await getTransfer(db, params.id) }),
    voidTransfer: ({ db, params, body }) => voidTransfer(db, clients, params.id, body.reason),
  });
