/** `npm run docs`: writes the documents that are generated from the contract and the code. A test compares them with the committed files. */
import { notificationTypeNames, notificationTypeOf, recipientRolesOf } from "@freehold/contract/communications/notification-types";
import { events } from "@freehold/contract/events";
import { openApiDocument } from "@freehold/contract/openapi";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { schemas } from "../deploy/system/schemas.ts";
import { describeSettings } from "../deploy/system/settings.ts";

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export const openApi = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;

export function eventCatalogue(): string {
  const rows = Object.entries(events).map(([type, event]) => {
    const { from, description, data } = event;
    const members = Object.keys(data.shape);
    return `| \`${type}\` | ${"alsoFrom" in event ? `${from}, ${event.alsoFrom}` : from} | ${description} | ${members.map((name) => `\`${name}\``).join(", ") || "none"} |`;
  });
  return `# Events

Every event arrives on \`GET /api/events/stream\` as a server-sent event of the same name, and on NATS in signed messages on the subjects \`published.{publisher}.{partition}.{organizationId}.{subscribers}\`, where all messages of an organization have the same partition. The data contains only IDs and small status fields. Read the resource for everything else.

\`\`\`
id: m3x1q8-42
event: payment.received
data: {"id":"…","type":"payment.received","organizationId":"…","occurredAt":"2026-01-05T15:00:00.000Z","entityType":"payment","entityId":"…","actorUserId":"…","requestId":"…","data":{…}}
\`\`\`

The stream itself sends \`stream.ready\` first, \`stream.expiring\` sixty seconds before the token expires, and \`stream.reset\` when the missed events are no longer stored: read the resources again with \`updatedAfter\`. Resume with the header \`Last-Event-ID\` or the query parameter \`lastEventId\`; events are kept for 72 hours. Office users receive every event of their organization except the notifications of other users. Portal users receive the events of their own records that their portal shows: a tenant \`tenant.updated\`, \`lease.updated\` and the events of the charges, payments and security deposits of the own leases, whoever of the tenants paid, a vendor \`vendor.updated\`, each those of the notes and documents (\`note.*\`, \`document.*\`) that are shared with them, an owner those of issued statements (\`owner_statement.issued\`), of contributions (\`owner_contribution.*\`) and of payouts from their payment on (\`owner_payable.paid\`, \`.updated\`, \`.voided\`), a vendor those of issued payments (\`expense_payment.*\`). Drafted and approved payouts, pending payments and changes of memos stay with the office.

| Event | Publisher | Description | Data |
|---|---|---|---|
${rows.join("\n")}
`;
}

export function notificationCatalogue(): string {
  const rows = notificationTypeNames.map((type) => {
    const { title, description, priority, channels, canBeTurnedOff } = notificationTypeOf(type);
    return `| \`${type}\` | ${title} | ${description} | ${priority} | ${recipientRolesOf(type).join(", ")} | ${channels.join(", ")} | ${canBeTurnedOff ? "yes" : "no"} |`;
  });
  return `# Notifications

Each user chooses the channels and the mode of every type with \`PUT /api/notifications/preferences\`; the table has the defaults. A type that cannot be turned off is always shown in the application. The user who caused an event is not notified. Blasts have channels of their own and are no type of this table.

| Type | Title | Sent when, and to whom | Priority | Roles | Default channels | Can be turned off |
|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
}

export function settingsPage(): string {
  const rows = describeSettings().map(
    ({ name, defaultValue, description }) => `| \`${name}\` | ${defaultValue ? `\`${defaultValue}\`` : ""} | ${description} |`,
  );
  return `# Settings

\`npm start\` reads these environment variables. It validates each at startup, and exits with a message that names the invalid ones. Each setting of this page can also be given in a file: \`<NAME>_FILE\` is the path of a file with the value, such as a mounted secret, which is read at startup. Setting both is an error.

| Setting | Default | Meaning |
|---|---|---|
${rows.join("\n")}

## Settings per process

Processes read these variables when they are [deployed separately](deployment.md). \`npm start\` sets all of them for its own processes.

| Setting | Default | Processes | Meaning |
|---|---|---|---|
${processSettingRows().join("\n")}
`;
}

/** Returns a table row for each setting of any process. A setting without a default and not marked optional is required. */
function processSettingRows(): string[] {
  const all = Object.entries(schemas).flatMap(([process, { shape }]) =>
    Object.entries(shape as Record<string, z.ZodType>).map(([name, type]) => ({ process, name, type })),
  );
  return [...Map.groupBy(all, ({ name }) => name)].map(([name, uses]) => {
    const { type } = uses[0]!;
    const unset = type.safeParse(undefined);
    const defaultCell = !unset.success
      ? "**required**"
      : unset.data === undefined
        ? ""
        : `\`${typeof unset.data === "string" ? unset.data : JSON.stringify(unset.data)}\``;
    const processNames = uses.length === Object.keys(schemas).length ? "all" : uses.map(({ process }) => process).join(", ");
    return `| \`${name}\` | ${defaultCell} | ${processNames} | ${type.description ?? ""} |`;
  });
}

export const printers: Record<string, () => string> = {
  "openapi.json": openApi,
  "events.md": eventCatalogue,
  "notifications.md": notificationCatalogue,
  "settings.md": settingsPage,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const [name, print] of Object.entries(printers)) writeFileSync(pathOf(name), print());
