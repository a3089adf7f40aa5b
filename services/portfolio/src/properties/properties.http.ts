import { properties } from "@freehold/contract/properties";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../clients.ts";
import { createProperty, deleteProperty, getProperty, listProperties, updateProperty } from "./properties.ts";

export const propertiesDoor = (ask: Clients) =>
  handlers(properties, {
    listProperties: ({ db, query }) => listProperties(db, ask, query),
    createProperty: ({ db, body }) => createProperty(db, ask, body),
    getProperty: ({ db, params }) => getProperty(db, ask, params.id),
    updateProperty: ({ db, params, body }) => updateProperty(db, ask, params.id, body),
    deleteProperty: ({ db, params }) => deleteProperty(db, ask, params.id),
  });
