import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

/** Tells a vendor of work that was given to it. */
export const workOrderAssigned: Template = {
  requiredFields: ["number", "title", "place"],
  render({ number = "", title = "", place = "", organizationName, fullName, dueOn }) {
    const subject = `Work order ${number}: ${title}`;
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const told = `${organizationName || "A property manager"} assigned work order ${number} to you: ${title}.`;
    const where = `It is at ${place}${dueOn ? ` and should be done by ${dueOn}` : ""}.`;
    const small = ["Please answer whoever you usually speak to about your work."];
    return { subject, text: [greeting, "", told, where, "", ...small, ""].join("\n"), html: emailHtml(subject, [greeting, told, where], undefined, small) };
  },
};
