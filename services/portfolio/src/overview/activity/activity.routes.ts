import { activity } from "@freehold/contract/overview/activity";
import { routes } from "@freehold/kit/http/routes";
import { listActivity } from "./activity.ts";

export const activityRoutes = () =>
  routes(activity, {
    listPropertyActivity: ({ db, params, query }) => listActivity(db, "property", params.id, query),
    listLeaseActivity: ({ db, params, query }) => listActivity(db, "lease", params.id, query),
    listTenantActivity: ({ db, params, query }) => listActivity(db, "tenant", params.id, query),
  });
