/** Routes of management fees: agreements, preview, runs and fees. */
import { managementFees } from "@freehold/contract/payables/management-fees";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createAgreement, deleteAgreement, getAgreement, listAgreements, updateAgreement } from "./agreements/agreements.ts";
import { previewFees } from "./calculation/compute-fees.ts";
import { createRun } from "./runs/create-run.ts";
import { reverseRun } from "./runs/reverse-run.ts";
import { getRun, listManagementFees, listRuns } from "./runs/runs.ts";

export const managementFeeRoutes = (clients: Clients) =>
  routes(managementFees, {
    listManagementFeeAgreements: ({ db, query }) => listAgreements(db, query),
    createManagementFeeAgreement: ({ db, body }) => createAgreement(db, clients, body),
    getManagementFeeAgreement: async ({ db, params }) => ({ agreement: await getAgreement(db, params.id) }),
    updateManagementFeeAgreement: ({ db, params, body }) => updateAgreement(db, params.id, body),
    deleteManagementFeeAgreement: ({ db, params }) => deleteAgreement(db, params.id),
    previewManagementFees: ({ db, body }) => previewFees(db, clients, body),
    createManagementFeeRun: ({ db, body }) => createRun(db, clients, body),
    listManagementFees: ({ db, query }) => listManagementFees(db, query),
    listManagementFeeRuns: ({ db, query }) => listRuns(db, query),
    getManagementFeeRun: async ({ db, params }) => ({ run: await getRun(db, params.id) }),
    reverseManagementFeeRun: ({ db, params, body }) => reverseRun(db, params.id, body.reason),
  });
