import { describe, expect, test } from "@jest/globals";
import { extractLinks, type RenderedMessage } from "./template.ts";
import { renderTemplate } from "./templates.ts";

const link = "https://freehold.example/invites/abc-DEF_123";
const written = (fields: Record<string, string> = {}): RenderedMessage => {
  const content = renderTemplate("invite", { link, ...fields });
  if ("refused" in content) throw new Error(content.refused);
  return content;
};

describe("invite", () => {
  test("names the organization and carries the link in both forms", () => {
    const { subject, text, html } = written({ organizationName: "Elm Street Management", fullName: "Ana Ruiz", expiresAt: "2026-11-28T12:00:00.000Z" });
    expect(subject).toBe("Your invitation to Elm Street Management");
    expect(text).toContain("Hello Ana Ruiz,");
    expect(text).toContain("You are invited to join Elm Street Management on Freehold.");
    expect(text).toContain("works until 2026-11-28.");
    expect(extractLinks(text)).toEqual([link]);
    expect(html).toContain(`href="${link}"`);
  });

  test.each(["tenant", "owner", "vendor"])("invites a %s to their portal", (kind) => {
    expect(written({ kind, organizationName: "Elm Street" }).text).toContain(`Elm Street invites you to its ${kind} portal.`);
  });

  test("is a whole letter with nothing but its link", () => {
    const { subject, text, html } = written();
    expect(`${subject}${text}${html}`).not.toMatch(/undefined|null/);
  });

  test.each(["organizationName", "fullName", "kind", "expiresAt"])("escapes %s in the HTML", (field) => {
    const { html } = written({ [field]: `"><script>alert('1')</script>&` });
    expect(html).not.toContain("<script");
    expect(html).not.toContain(`alert('1')`);
  });

  test("cannot leave the attribute that the link stands in", () => {
    const { html } = written({ link: `https://freehold.example/invites/a"onmouseover="x` });
    expect(html).not.toContain(`"onmouseover`);
  });

  test.each(["Acme\r\nBcc: all@example.com", "Acme\nBcc: all@example.com", "Acme\u2028Bcc: all@example.com", "Acme\u0000\u0085Bcc: all@example.com"])(
    "keeps its subject on one line: %j",
    (organizationName) => expect(written({ organizationName }).subject).toBe("Your invitation to Acme Bcc: all@example.com"),
  );

  test("does not let a name turn the direction of writing", () => {
    expect(written({ fullName: "Ana\u202Eziur" }).text).toContain("Hello Ana ziur,");
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "/invites/abc", ""])("is refused with %j for a link", (bad) => {
    expect(renderTemplate("invite", { link: bad })).toEqual({ refused: "missing_link" });
  });

  test("is refused without a link", () => {
    expect(renderTemplate("invite", { organizationName: "Acme" })).toEqual({ refused: "missing_link" });
  });
});

describe.each([
  ["password-reset", "Choose a new password for Elm Street", "Somebody asked for a new password"],
  ["email-confirmation", "Confirm your e-mail address", "You signed up Elm Street"],
])("%s", (name, subject, says) => {
  const letterOf = (fields: Record<string, string> = {}): RenderedMessage => {
    const content = renderTemplate(name, { link, ...fields });
    if ("refused" in content) throw new Error(content.refused);
    return content;
  };
  test("says what it is about and until when, and carries the link in both forms", () => {
    const content = letterOf({ organizationName: "Elm Street", fullName: "Ana Ruiz", expiresAt: "2026-11-28T12:34:56.000Z" });
    expect(content.subject).toBe(subject);
    expect(content.text).toContain("Hello Ana Ruiz,");
    expect(content.text).toContain(says);
    expect(content.text).toContain("until 2026-11-28 12:34 UTC");
    expect(extractLinks(content.text)).toEqual([link]);
    expect(content.html).toContain(`href="${link}"`);
  });
  test("is whole with nothing but its link, and nothing breaks out of it", () => {
    const bare = letterOf();
    expect(`${bare.subject}${bare.text}${bare.html}`).not.toMatch(/undefined|null/);
    for (const field of ["organizationName", "fullName", "expiresAt"])
      expect(letterOf({ [field]: `"><script>alert('1')</script>&` }).html).not.toContain("<script");
    expect(letterOf({ organizationName: "Acme\r\nBcc: all@example.com" }).subject).not.toContain("\n");
  });
  test("is refused without a link", () => expect(renderTemplate(name, {})).toEqual({ refused: "missing_link" }));
});

describe("work-order-assigned", () => {
  const letterOf = (fields: Record<string, string> = {}): RenderedMessage => {
    const content = renderTemplate("work-order-assigned", { number: "17", title: "The tap drips", place: "Elm Court, 12 Elm Street, Springfield", ...fields });
    if ("refused" in content) throw new Error(content.refused);
    return content;
  };
  test("says what is to be done, where, by when and for whom", () => {
    const { subject, text, html } = letterOf({ organizationName: "Elm Street", fullName: "Vera", dueOn: "2026-12-01" });
    expect(subject).toBe("Work order 17: The tap drips");
    for (const each of [
      "Hello Vera,",
      "Elm Street assigned work order 17 to you: The tap drips.",
      "12 Elm Street, Springfield and should be done by 2026-12-01.",
    ]) {
      expect(text).toContain(each);
      expect(html).toContain(each);
    }
    expect(extractLinks(text)).toEqual([]);
    expect(html).not.toContain("href");
  });
  test("is whole without the rest, and nothing breaks out of it", () => {
    const bare = letterOf();
    expect(`${bare.subject}${bare.text}${bare.html}`).not.toMatch(/undefined|null/);
    for (const field of ["title", "place", "organizationName", "fullName", "dueOn"])
      expect(letterOf({ [field]: `"><script>alert('1')</script>&` }).html).not.toContain("<script");
    expect(letterOf({ title: "Tap\r\nBcc: all@example.com" }).subject).not.toContain("\n");
  });
  test.each(["number", "title", "place"])("is refused without its %s", (field) => {
    const content = { number: "17", title: "Tap", place: "Elm Court", [field]: "" };
    expect(renderTemplate("work-order-assigned", content)).toEqual({ refused: `missing_${field}` });
  });
});

describe("write", () => {
  test.each(["nothing", "__proto__", "constructor", ""])("refuses a template that is not there: %j", (name) => {
    expect(renderTemplate(name, { link })).toEqual({ refused: "unknown_template" });
  });
});

describe("linksIn", () => {
  test("finds every address and leaves the punctuation after it", () => {
    expect(extractLinks("See https://a.example/x, (http://b.example/y?z=1&w=2). Or https://c.example!")).toEqual([
      "https://a.example/x",
      "http://b.example/y?z=1&w=2",
      "https://c.example",
    ]);
  });
  test("finds none where there is none", () => expect(extractLinks("mailto:a@b.example and https:// alone")).toEqual([]));
});
