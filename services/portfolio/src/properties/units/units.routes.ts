import { feeTemplates, units } from "@freehold/contract/properties/units";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import { createUnits } from "./create-units.ts";
import { createUnitFeeTemplate, deleteUnitFeeTemplate, listUnitFeeTemplates, updateUnitFeeTemplate } from "./fee-templates.ts";
import { createUnit, deleteUnit, getUnit, listUnits, updateUnit } from "./units.ts";

export const unitRoutes = (clients: Clients) => [
  routes(units, {
    listUnits: ({ db, query }) => listUnits(db, query),
    createUnit: ({ db, body }) => createUnit(db, clients, body),
    createUnits: ({ db, body }) => createUnits(db, clients, body),
    getUnit: ({ db, params }) => getUnit(db, clients, params.id),
    updateUnit: ({ db, params, body }) => updateUnit(db, clients, params.id, body),
    deleteUnit: ({ db, params }) => deleteUnit(db, clients, params.id),
  }),
  routes(feeTemplates, {
    listUnitFeeTemplates: ({ db, params }) => listUnitFeeTemplates(db, params.unitId),
    createUnitFeeTemplate: ({ db, params, body }) => createUnitFeeTemplate(db, clients, params.unitId, body),
    updateUnitFeeTemplate: ({ db, params, body }) => updateUnitFeeTemplate(db, clients, params.id, body),
    deleteUnitFeeTemplate: ({ db, params }) => deleteUnitFeeTemplate(db, params.id),
  }),
];
