/** Operations implemented by the gateway itself. */
import { z } from "zod";
import { eventTypes, isEventType } from "./events.ts";
import { allRoles } from "./roles.ts";
import type { Operation } from "./operation.ts";
import { QueryBoolean, Instant, textList } from "./values.ts";

const statuses = ["ok", "degraded", "down"] as const;

const Check = z.strictObject({
  name: z.string().describe("Name of the checked component: a service, such as `ledger`, or one of its dependencies, such as `ledger.postgres`."),
  status: z.enum(statuses).describe("Status of the checked component."),
  latencyMs: z.number().describe("Response time of the component in milliseconds; 0 when it is not measured."),
  detail: z.string().optional().describe("Further information, such as the reason of a failure. Absent when there is none."),
});

/** Event type of the catalogue. Another text is refused with itself in the message, since one misspelled type of many is hard to find. */
const EventTypeName = z
  .string()
  .refine(isEventType, {
    params: { code: "enum" },
    error: ({ input }) =>
      `${JSON.stringify(String(input).slice(0, 100))} is not an event type. Use the values of EventType in /api/openapi.json, such as payment.received.`,
  })
  .meta({ override: ({ jsonSchema }) => void (jsonSchema.enum = eventTypes) });

export const system = {
  getHealth: {
    method: "GET",
    path: "/api/health",
    summary: "check the health of the system",
    access: "public",
    reportsUnavailability: true,
    description:
      "Returns 503 when the status is `down`. With `deep`, which requires the access token of an admin, the ledger also verifies that debits equal credits in every organization, which is the check `ledger.balance`.",
    errors: [401, 403],
    query: z.strictObject({
      deep: QueryBoolean.optional().describe(
        "Also verify that debits equal credits in the ledger of every organization; requires the access token of an admin. Default: `false`.",
      ),
    }),
    response: {
      status: z
        .enum(statuses)
        .describe(
          "Overall status, the worst of all checks: `ok`, `degraded` (usable, with delayed events or fewer replicas) or `down` (a component does not respond).",
        ),
      checks: z.array(Check).describe("Checks of all services and their dependencies."),
      time: Instant.describe("Time of the checks, which are at most a second old."),
    },
  },
  getVersion: {
    method: "GET",
    path: "/api/version",
    summary: "read the version",
    access: "public",
    response: {
      version: z.string().describe("Version of the gateway."),
      commit: z.string().describe("Commit the deployment was built from, or `development`."),
      builtAt: Instant.describe("Time at which the deployment was built; in development, the start of the process."),
      apiVersion: z.literal("0.1.0").describe("Version of the API contract."),
      schemaVersion: z.string().describe("Latest database migration of each service, as `<service>:<migration>` separated by spaces."),
    },
  },
  streamEvents: {
    method: "GET",
    path: "/api/events/stream",
    summary: "stream events",
    access: allRoles,
    description:
      "Stream of server-sent events. The access token is sent in the header `Authorization` or, since an `EventSource` sends no headers of its own, in the query parameter `token`. To resume, send the ID of the last received event in the header `Last-Event-ID` or in `lastEventId`. The first frame is `stream.ready`. `stream.expiring` is sent 60 seconds before the token expires; the stream is closed when the token expires. `stream.reset` is sent when events may be missing, so that the resources must be read again; its `reason` is `too_old` (the events after the given ID are no longer stored), `unknown_id` (the ID is not one of this stream) or `stream_replaced` (the IDs have begun anew).",
    query: z.strictObject({
      token: z
        .string()
        .optional()
        .describe("Access token of the caller. The header `Authorization` takes precedence, and keeps the token out of the logs of proxies."),
      types: textList(EventTypeName).optional().describe("Event types to receive, repeated or comma-separated. Default: all."),
      lastEventId: z
        .string()
        .max(100)
        .optional()
        .describe("ID of the last received event; the stream continues after it. The header `Last-Event-ID` takes precedence. Default: new events only."),
    }),
    headers: z.object({
      "Last-Event-ID": z
        .string()
        .optional()
        .describe("ID of the last received event, as an `EventSource` sends it when it reconnects; the stream continues after it."),
    }),
    response: {},
  },
} as const satisfies Record<string, Operation>;
