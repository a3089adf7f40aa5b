/** Routes of blasts. */
import { blasts } from "@freehold/contract/communications/blasts";
import { routes } from "@freehold/kit/http/routes";
import {
  createBlast,
  deleteBlast,
  getBlast,
  listBlasts,
  previewBlast,
  scheduleBlast,
  sendBlast,
  unscheduleBlast,
  updateBlast,
  type BlastDependencies,
} from "./blasts.ts";
import { listBlastRecipients, retryBlast } from "./recipients.ts";

export const blastRoutes = (dependencies: BlastDependencies) =>
  routes(blasts, {
    previewBlast: ({ db, body }) => previewBlast(db, dependencies, body),
    listBlasts: ({ db, query }) => listBlasts(db, query),
    createBlast: ({ db, body }) => createBlast(db, dependencies, body),
    getBlast: ({ db, params }) => getBlast(db, params.id),
    updateBlast: ({ db, params, body }) => updateBlast(db, dependencies, params.id, body),
    sendBlast: ({ db, params }) => sendBlast(db, dependencies, params.id),
    scheduleBlast: ({ db, params, body }) => scheduleBlast(db, dependencies, params.id, body),
    unscheduleBlast: ({ db, params }) => unscheduleBlast(db, params.id),
    deleteBlast: ({ db, params }) => deleteBlast(db, params.id),
    listBlastRecipients: ({ db, params, query }) => listBlastRecipients(db, params.id, query),
    retryBlast: ({ db, params }) => retryBlast(db, dependencies.clients, params.id),
  });
