import { inspections, inspectionTemplates } from "@freehold/contract/maintenance/inspections";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { compareInspections } from "./compare-inspections.ts";
import {
  createInspectionTemplate,
  deleteInspectionTemplate,
  getInspectionTemplate,
  listInspectionTemplates,
  updateInspectionTemplate,
} from "./templates/inspection-templates.ts";
import { createInspection, getInspection, listInspections, updateInspection } from "./inspections.ts";
import { cancelInspection, completeInspection, startInspection } from "./transition-inspection.ts";
import { createInspectionItemWorkOrder } from "./create-inspection-item-work-order.ts";
import { saveInspectionAreas } from "./save-inspection-areas.ts";

export const inspectionRoutes = (clients: Clients) => [
  routes(inspections, {
    listInspections: ({ db, query }) => listInspections(db, query),
    createInspection: ({ db, body }) => createInspection(db, clients, body),
    getInspection: ({ db, params }) => getInspection(db, params.id),
    updateInspection: ({ db, params, body }) => updateInspection(db, clients, params.id, body),
    saveInspectionAreas: ({ db, params, body }) => saveInspectionAreas(db, params.id, body.areas),
    startInspection: ({ db, params }) => startInspection(db, params.id),
    completeInspection: ({ db, params, body }) => completeInspection(db, params.id, body),
    cancelInspection: ({ db, params, body }) => cancelInspection(db, params.id, body),
    createInspectionItemWorkOrder: ({ db, params, body }) => createInspectionItemWorkOrder(db, clients, params.id, params.itemId, body),
    compareInspections: ({ db, params, query }) => compareInspections(db, params.id, query.with),
  }),
  routes(inspectionTemplates, {
    listInspectionTemplates: ({ db, query }) => listInspectionTemplates(db, query),
    createInspectionTemplate: ({ db, body }) => createInspectionTemplate(db, body),
    getInspectionTemplate: ({ db, params }) => getInspectionTemplate(db, params.id),
    updateInspectionTemplate: ({ db, params, body }) => updateInspectionTemplate(db, params.id, body),
    deleteInspectionTemplate: ({ db, params }) => deleteInspectionTemplate(db, params.id),
  }),
];
