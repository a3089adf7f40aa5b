import { sessions } from "@freehold/contract/sessions";
import { handlers } from "@freehold/kit/serve";
import { endSession, listSessions } from "./own-sessions.ts";

export const sessionsDoor = () =>
  handlers(sessions, {
    listSessions: async ({ db }) => ({ sessions: await listSessions(db) }),
    endSession: async ({ db, params }) => ({ session: await endSession(db, params.id) }),
  });
