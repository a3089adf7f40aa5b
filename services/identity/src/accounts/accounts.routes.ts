import { accounts } from "@freehold/contract/identity/accounts";
import { routes } from "@freehold/kit/http/routes";
import type { Identity } from "../context.ts";
import { getOrganization, updateOrganization } from "./organization/organization.ts";
import { resendUserInvite } from "./invites/resend-invite.ts";
import { createUser, deleteUser, getUser, listUsers, updateUser } from "./users/users.ts";

export const accountRoutes = (identity: Identity) =>
  routes(accounts, {
    getOrganization: async ({ db }) => ({ organization: await getOrganization(db) }),
    updateOrganization: async ({ db, body }) => ({ organization: await updateOrganization(identity, db, body) }),
    listUsers: ({ db, query }) => listUsers(db, query),
    createUser: ({ db, body }) => createUser(identity, db, body),
    resendUserInvite: ({ db, params }) => resendUserInvite(identity, db, params.id),
    getUser: async ({ db, params }) => ({ user: await getUser(db, params.id) }),
    updateUser: async ({ db, params, body }) => ({ user: await updateUser(db, params.id, body) }),
    deleteUser: async ({ db, params }) => ({ user: await deleteUser(db, params.id) }),
  });
