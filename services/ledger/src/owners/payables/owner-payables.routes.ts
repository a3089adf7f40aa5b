/** Routes of payouts to owners. */
import { ownerPayables } from "@freehold/contract/trust/owner-payables";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { approveOwnerPayable, getOwnerPayable, listOwnerPayables, runOwnerPayables, updateOwnerPayable } from "./owner-payables.ts";
import { payOwnerPayable, payOwnerPayables, voidOwnerPayable } from "./pay-owner-payables.ts";
import { previewOwnerPayables } from "./preview-owner-payables.ts";

export const ownerPayableRoutes = (clients: Clients) =>
  routes(ownerPayables, {
    listOwnerPayables: ({ db, query }) => listOwnerPayables(db, query),
    previewOwnerPayables: ({ db, body }) => previewOwnerPayables(db, clients, body),
    runOwnerPayables: ({ db, body }) => runOwnerPayables(db, clients, body),
    getOwnerPayable: async ({ db, params }) => ({ ownerPayable: await getOwnerPayable(db, params.id) }),
    updateOwnerPayable: ({ db, params, body }) => updateOwnerPayable(db, params.id, body),
    approveOwnerPayable: ({ db, params }) => approveOwnerPayable(db, params.id),
    payOwnerPayable: ({ db, params, body }) => payOwnerPayable(db, clients, params.id, body),
    payOwnerPayables: ({ db, body }) => payOwnerPayables(db, clients, body),
    voidOwnerPayable: ({ db, params, body }) => voidOwnerPayable(db, params.id, body.reason),
  });
