import { tenantInvites } from "@freehold/contract/tenant-invites";
import { handlers } from "@freehold/kit/serve";
import { createTenantInvite, revokeTenantInvite, type Inviting } from "./tenant-invites.ts";

export const tenantInvitesDoor = (inviting: Inviting) =>
  handlers(tenantInvites, {
    createTenantInvite: ({ db, body }) => createTenantInvite(db, inviting, body),
    revokeTenantInvite: ({ db, params }) => revokeTenantInvite(db, inviting, params.id),
  });
