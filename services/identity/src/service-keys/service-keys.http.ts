import { serviceKeys } from "@freehold/contract/service-keys";
import { handlers } from "@freehold/kit/serve";
import { createServiceKey, deleteServiceKey, listServiceKeys, rotateServiceKey } from "./service-keys.ts";

export const serviceKeysDoor = () =>
  handlers(serviceKeys, {
    listServiceKeys: ({ db }) => listServiceKeys(db),
    createServiceKey: ({ db, body }) => createServiceKey(db, body),
    rotateServiceKey: ({ db, params }) => rotateServiceKey(db, params.id),
    deleteServiceKey: async ({ db, params }) => ({ serviceKey: await deleteServiceKey(db, params.id) }),
  });
