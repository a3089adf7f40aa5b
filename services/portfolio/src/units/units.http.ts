import { units } from "@freehold/contract/units";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../clients.ts";
import { createUnit, getUnit, listUnits, updateUnit } from "./units.ts";

export const unitsDoor = (ask: Clients) =>
  handlers(units, {
    listUnits: ({ db, query }) => listUnits(db, query),
    createUnit: ({ db, body }) => createUnit(db, ask, body),
    getUnit: ({ db, params }) => getUnit(db, ask, params.id),
    updateUnit: ({ db, params, body }) => updateUnit(db, params.id, body),
  });
