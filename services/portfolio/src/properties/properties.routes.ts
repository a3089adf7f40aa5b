import { properties } from "@freehold/contract/properties/properties";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { getOwnership, replaceOwnership } from "./ownership/ownership.ts";
import { createProperty, deleteProperty, getProperty, listProperties, listPropertyLeases, listPropertyUnits, updateProperty } from "./properties.ts";

export const propertyRoutes = (clients: Clients) =>
  routes(properties, {
    listProperties: ({ db, query }) => listProperties(db, clients, query),
    createProperty: ({ db, body }) => createProperty(db, clients, body),
    getProperty: ({ db, params }) => getProperty(db, clients, params.id),
    updateProperty: ({ db, params, body }) => updateProperty(db, clients, params.id, body),
    getOwnership: ({ db, params, query }) => getOwnership(db, params.id, query),
    replaceOwnership: ({ db, params, body }) => replaceOwnership(db, params.id, body),
    listPropertyUnits: ({ db, params, query }) => listPropertyUnits(db, params.id, query),
    listPropertyLeases: ({ db, params, query }) => listPropertyLeases(db, clients, params.id, query),
    deleteProperty: ({ db, params }) => deleteProperty(db, clients, params.id),
  });
