import { billingSchedules } from "@freehold/contract/ledger/billing-schedules";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createBillingSchedule, deleteBillingSchedule, listBillingSchedules, updateBillingSchedule } from "./billing-schedules.ts";

export const billingScheduleRoutes = (clients: Clients) =>
  routes(billingSchedules, {
    listBillingSchedules: ({ db, params, query }) => listBillingSchedules(db, params.leaseId, query),
    createBillingSchedule: ({ db, params, body }) => createBillingSchedule(db, clients, params.leaseId, body),
    updateBillingSchedule: ({ db, params, body }) => updateBillingSchedule(db, clients, params.id, body),
    deleteBillingSchedule: ({ db, params }) => deleteBillingSchedule(db, params.id),
  });
