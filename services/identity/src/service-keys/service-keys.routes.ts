import { serviceKeys } from "@freehold/contract/identity/service-keys";
import { routes } from "@freehold/kit/http/routes";
import { createServiceKey, deleteServiceKey, listServiceKeys, rotateServiceKey } from "./service-keys.ts";

export const serviceKeyRoutes = () =>
  routes(serviceKeys, {
    listServiceKeys: ({ db }) => listServiceKeys(db),
    createServiceKey: ({ db, body }) => createServiceKey(db, body),
    rotateServiceKey: ({ db, params }) => rotateServiceKey(db, params.id),
    deleteServiceKey: async ({ db, params }) => ({ serviceKey: await deleteServiceKey(db, params.id) }),
  });
