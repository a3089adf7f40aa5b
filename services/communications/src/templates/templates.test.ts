import { describe, expect, test } from "@jest/globals";
import { extractLinks, type RenderedMessage } from "./template.ts";
import { renderTemplate } from "./templates.ts";

const link = "https://freehold.example/invites/abc-DEF_123";
const renderInvite = (fields: Record<string, string> = {}): RenderedMessage => {
  const content = renderTemplate("invite", { link, ...fields });
  if ("error" in content) throw new Error(content.error);
  return content;
};

describe("invite", () => {
  test("contains the organization and, in text and HTML, the link", () => {
    const { subject, text, html } = renderInvite({ organizationName: "Elm Street Management", fullName: "Ana Ruiz", expiresAt: "2026-11-28T12:00:00.000Z" });
    expect(subject).toBe("Your invitation to Elm Street Management");
    expect(text).toContain("Hello Ana Ruiz,");
    expect(text).toContain("You are invited to join Elm Street Management on Freehold.");
    expect(text).toContain("works until 2026-11-28.");
    expect(extractLinks(text)).toEqual([link]);
    expect(html).toContain(`href="${link}"`);
  });

  test.each(["tenant", "owner", "vendor"])("invites a %s to their portal", (kind) => {
    expect(renderInvite({ kind, organizationName: "Elm Street" }).text).toContain(`Elm Street invites you to its ${kind} portal.`);
  });

  test("is complete with only its link", () => {
    const { subject, text, html } = renderInvite();
    expect(`${subject}${text}${html}`).not.toMatch(/undefined|null/);
  });

  test.each(["organizationName", "fullName", "kind", "expiresAt"])("escapes %s in the HTML", (field) => {
    const { html } = renderInvite({ [field]: `"><script>alert('1')</script>&` });
    expect(html).not.toContain("<script");
    expect(html).not.toContain(`alert('1')`);
  });

  test("escapes the link attribute", () => {
    const { html } = renderInvite({ link: `https://freehold.example/invites/a"onmouseover="x` });
    expect(html).not.toContain(`"onmouseover`);
  });

  test.each(["Acme\r\nBcc: all@example.com", "Acme\nBcc: all@example.com", "Acme\u2028Bcc: all@example.com", "Acme\u0000\u0085Bcc: all@example.com"])(
    "has a single-line subject: %j",
    (organizationName) => expect(renderInvite({ organizationName }).subject.replaceAll("\u2060", "")).toBe("Your invitation to Acme Bcc: all@example.com"),
  );

  test("is not cut within an emoji", () => {
    const { subject, text, html } = renderInvite({ organizationName: `a${"\u{1F3E0}".repeat(300)}` });
    expect([subject, text, html].map((each) => each!.isWellFormed())).toEqual([true, true, true]);
  });

  test("removes characters that change the direction of writing", () => {
    expect(renderInvite({ fullName: "Ana\u202Eziur" }).text).toContain("Hello Ana ziur,");
  });

  test.each([
    "https://evil.example/win",
    "Win now: evil.example/win",
    "www.evil.example",
    "ada@evil.example",
    "https\u200B://evil.example",
    "evil\u3002example",
    "evil.\u200Bexample",
    "192.0.2.1/win",
  ])("shows the name %j as text that no mail client makes a link of", (name) => {
    for (const field of ["organizationName", "fullName"]) {
      const { subject, text, html } = renderInvite({ [field]: name });
      const shown = [subject, text.replace(link, ""), html.replaceAll(link, "")].join("\n").replaceAll(/<[^>]+>/g, "");
      expect(shown).not.toMatch(/:\/\/|www\.\w|[\w](?:[.@\u3002])[\w]+[/.]?/);
      expect(extractLinks(text)).toEqual([link]);
      expect(shown).toContain("\u2060");
    }
  });

  test.each(["St. Mary & Sons Inc.", "Elm Street 1: North", "12/14 Oak"])("shows the name %j unchanged", (organizationName) => {
    expect(renderInvite({ organizationName }).text).toContain(`You are invited to join ${organizationName} on Freehold.`);
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "/invites/abc", ""])("is refused with %j as link", (invalidLink) => {
    expect(renderTemplate("invite", { link: invalidLink })).toEqual({ error: "missing_link" });
  });

  test("is refused without a link", () => {
    expect(renderTemplate("invite", { organizationName: "Acme" })).toEqual({ error: "missing_link" });
  });
});

describe.each([
  ["password-reset", "Choose a new password for Elm Street", "We received a request to reset the password of your account at Elm Street."],
  ["email-confirmation", "Confirm your e-mail address", "This e-mail address was used to sign up Elm Street."],
])("%s", (name, subject, body) => {
  const render = (fields: Record<string, string> = {}): RenderedMessage => {
    const content = renderTemplate(name, { link, ...fields });
    if ("error" in content) throw new Error(content.error);
    return content;
  };
  test("contains its purpose, the expiry and, in text and HTML, the link", () => {
    const content = render({ organizationName: "Elm Street", fullName: "Ana Ruiz", expiresAt: "2026-11-28T12:34:56.000Z" });
    expect(content.subject).toBe(subject);
    expect(content.text).toContain("Hello Ana Ruiz,");
    expect(content.text).toContain(body);
    expect(content.text).toContain("until 2026-11-28 12:34 UTC");
    expect(extractLinks(content.text)).toEqual([link]);
    expect(content.html).toContain(`href="${link}"`);
  });
  test("is complete with only its link, and escapes its fields", () => {
    const minimal = render();
    expect(`${minimal.subject}${minimal.text}${minimal.html}`).not.toMatch(/undefined|null/);
    for (const field of ["organizationName", "fullName", "expiresAt"])
      expect(render({ [field]: `"><script>alert('1')</script>&` }).html).not.toContain("<script");
    expect(render({ organizationName: "Acme\r\nBcc: all@example.com" }).subject).not.toContain("\n");
  });
  test("is refused without a link", () => expect(renderTemplate(name, {})).toEqual({ error: "missing_link" }));
});

describe("work-order-assigned", () => {
  const render = (fields: Record<string, string> = {}): RenderedMessage => {
    const content = renderTemplate("work-order-assigned", { number: "17", title: "The tap drips", place: "Elm Court, 12 Elm Street, Springfield", ...fields });
    if ("error" in content) throw new Error(content.error);
    return content;
  };
  test("contains the work, the location, the due date and the organization", () => {
    const { subject, text, html } = render({ organizationName: "Elm Street", fullName: "Vera", dueOn: "2026-12-01" });
    expect(subject).toBe("Work order 17: The tap drips");
    for (const sentence of [
      "Hello Vera,",
      "Elm Street assigned work order 17 to you: The tap drips.",
      "12 Elm Street, Springfield and should be done by 2026-12-01.",
    ]) {
      expect(text).toContain(sentence);
      expect(html).toContain(sentence);
    }
    expect(extractLinks(text)).toEqual([]);
    expect(html).not.toContain("href");
  });
  test("is complete with only its required fields, and escapes its fields", () => {
    const minimal = render();
    expect(`${minimal.subject}${minimal.text}${minimal.html}`).not.toMatch(/undefined|null/);
    for (const field of ["title", "place", "organizationName", "fullName", "dueOn"])
      expect(render({ [field]: `"><script>alert('1')</script>&` }).html).not.toContain("<script");
    expect(render({ title: "Tap\r\nBcc: all@example.com" }).subject).not.toContain("\n");
  });
  test.each(["number", "title", "place"])("is refused without %s", (field) => {
    const content = { number: "17", title: "Tap", place: "Elm Court", [field]: "" };
    expect(renderTemplate("work-order-assigned", content)).toEqual({ error: `missing_${field}` });
  });
});

describe("renderTemplate", () => {
  test.each(["nothing", "__proto__", "constructor", ""])("refuses an unknown template: %j", (name) => {
    expect(renderTemplate(name, { link })).toEqual({ error: "unknown_template" });
  });
});

describe("extractLinks", () => {
  test("returns every URL without trailing punctuation", () => {
    expect(extractLinks("See https://a.example/x, (http://b.example/y?z=1&w=2). Or https://c.example!")).toEqual([
      "https://a.example/x",
      "http://b.example/y?z=1&w=2",
      "https://c.example",
    ]);
  });
  test("returns nothing without a web URL", () => expect(extractLinks("mailto:a@b.example and https:// alone")).toEqual([]));
});
