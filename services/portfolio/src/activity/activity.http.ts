import { activity } from "@freehold/contract/activity";
import { handlers } from "@freehold/kit/serve";
import { listActivity } from "./activity.ts";

export const activityDoor = () =>
  handlers(activity, {
    listPropertyActivity: ({ db, params, query }) => listActivity(db, "property", params.id, query),
    listLeaseActivity: ({ db, params, query }) => listActivity(db, "lease", params.id, query),
    listTenantActivity: ({ db, params, query }) => listActivity(db, "tenant", params.id, query),
  });
