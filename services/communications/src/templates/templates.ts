/** Registry of the message templates. */
import { emailConfirmation } from "./email-confirmation.ts";
import { invite } from "./invite.ts";
import { ownerStatement } from "./owner-statement.ts";
import { passwordReset } from "./password-reset.ts";
import { workOrderAssigned } from "./work-order-assigned.ts";
import { parseWebUrl, toSingleLine, unlinked, type RenderedMessage, type Template } from "./template.ts";

const templates: ReadonlyMap<string, Template> = new Map([
  ["invite", invite],
  ["password-reset", passwordReset],
  ["email-confirmation", emailConfirmation],
  ["work-order-assigned", workOrderAssigned],
  ["owner-statement", ownerStatement],
]);

/** Renders a template with sanitized fields. Returns an error code for an unknown template or a missing field; an invalid link counts as missing. */
export function renderTemplate(name: string, fields: Readonly<Record<string, string>>): RenderedMessage | { error: string } {
  const template = templates.get(name);
  if (!template) return { error: "unknown_template" };
  const sanitized = Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, isLink(field) ? (parseWebUrl(value) ?? "") : unlinked(toSingleLine(value))]),
  );
  const missing = template.requiredFields.find((field) => !sanitized[field]);
  return missing ? { error: `missing_${missing}` } : template.render(sanitized);
}

const isLink = (field: string): boolean => field === "link" || field.endsWith("Link");
