/** Permissions of the processes at the NATS servers, which refuse everything else. */
import { processes, type ProcessName } from "../system/secrets.ts";

export interface Permissions {
  /** Subjects of messages and of requests. */
  publish: readonly string[];
  subscribe: readonly string[];
}

/**
 * Requests to JetStream of every process: to find, create and read the event stream. No process may change or delete the stream,
 * or delete its messages. Creating consumers is not limited to some subjects, since every process may read every message.
 */
const jetStreamRequests = [
  "$JS.API.INFO",
  "$JS.API.STREAM.NAMES",
  "$JS.API.STREAM.INFO.*",
  "$JS.API.STREAM.CREATE.*",
  "$JS.API.STREAM.MSG.GET.*",
  "$JS.API.CONSUMER.CREATE.>",
  "$JS.API.CONSUMER.INFO.*.*",
  "$JS.API.CONSUMER.DELETE.*.*",
  "$JS.API.CONSUMER.MSG.NEXT.*.*",
];

/** Subjects on which a process receives the responses to its requests. */
const inboxOf = (name: ProcessName): string => `_INBOX.${name}.>`;

/** A service publishes its own events, and receives events only as responses to its requests. */
const servicePermissions = (name: ProcessName): Permissions => ({
  publish: [...jetStreamRequests, `published.${name}.>`],
  subscribe: [inboxOf(name)],
});

/** Gateways also call and respond to each other. */
const gatewayPermissions: Permissions = {
  publish: [...jetStreamRequests, "gateways.>", inboxOf("gateway")],
  subscribe: [inboxOf("gateway"), "gateways.>", "published.>"],
};

/** Permissions of each process. */
export const permissionsByProcess = Object.fromEntries(
  processes.map((name) => [name, name === "gateway" ? gatewayPermissions : servicePermissions(name)]),
) as Record<ProcessName, Permissions>;
