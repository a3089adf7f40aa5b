import { emailHtml } from "./html.ts";
import type { Template } from "./template.ts";

/** Information for a vendor about an assigned work order. */
export const workOrderAssigned: Template = {
  requiredFields: ["number", "title", "place"],
  render({ number = "", title = "", place = "", organizationName, fullName, dueOn }) {
    const subject = `Work order ${number}: ${title}`;
    const greeting = fullName ? `Hello ${fullName},` : "Hello,";
    const body = `${organizationName || "A property manager"} assigned work order ${number} to you: ${title}.`;
    const location = `The work is at ${place}${dueOn ? ` and should be done by ${dueOn}` : ""}.`;
    const footnotes = ["If you have questions, please contact the property manager."];
    return {
      subject,
      text: [greeting, "", body, location, "", ...footnotes, ""].join("\n"),
      html: emailHtml(subject, [greeting, body, location], undefined, footnotes),
    };
  },
};
