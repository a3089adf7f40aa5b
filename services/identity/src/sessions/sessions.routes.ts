/** Routes of the caller's sessions. */
import { sessions } from "@freehold/contract/identity/sessions";
import { routes } from "@freehold/kit/http/routes";
import { endSession, listSessions } from "./own-sessions.ts";

export const sessionRoutes = () =>
  routes(sessions, {
    listSessions: async ({ db }) => ({ sessions: await listSessions(db) }),
    endSession: async ({ db, params }) => ({ session: await endSession(db, params.id) }),
  });
