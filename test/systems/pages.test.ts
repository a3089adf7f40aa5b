/** Pages in a browser, on a system with the demo and the development outbox, as `npm start` runs it. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "puppeteer-core";
import { seedDemo } from "../../deploy/demo.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { demoLogins, demoPassword } from "../../gateway/src/pages/demo-logins.ts";
import { HOST_NAME, launchBrowser, openPage, POLLING_MS, STEP_MS, TIMEOUT_MS } from "./pages/browser.ts";
import { measureContrast } from "./pages/contrast.ts";
import { anEmail } from "../support/office.ts";
import { Client } from "../support/client.ts";
import { testSettings } from "../support/settings.ts";

const PREFIX = "/property/api-of-freehold";
const dataDir = mkdtempSync(join(tmpdir(), "freehold-pages-"));
let system: System;
let browser: Browser;
let proxy: Server;

/** Starts a proxy that adds a prefix to the path. */
async function startProxy(gatewayPort: number): Promise<Server> {
  const server = createServer((req, res) => {
    if (!req.url!.startsWith(PREFIX)) return void res.writeHead(404).end();
    const options = { port: gatewayPort, method: req.method, path: req.url!.slice(PREFIX.length) || "/", headers: req.headers };
    req.pipe(
      request(options, (response) => {
        res.writeHead(response.statusCode!, response.headers);
        response.pipe(res);
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

beforeAll(async () => {
  const environment = { ...testSettings, SHOW_DEMO_LOGINS: "true" };
  browser = await launchBrowser();
  system = await startSystem({ dataDir, host: "0.0.0.0", port: 0, fsync: "off", environment });
  await seedDemo(system.baseUrl);
  proxy = await startProxy(system.ports.gateway);
}, TIMEOUT_MS);
afterAll(async () => {
  proxy?.close();
  await browser?.close();
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const addresses: [name: string, base: () => string][] = [
  ["localhost", () => `http://localhost:${system.ports.gateway}`],
  ["an IP address", () => `http://127.0.0.2:${system.ports.gateway}`],
  ["a host name", () => `http://${HOST_NAME}:${system.ports.gateway}`],
  ["a path of a proxy", () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${PREFIX}`],
];

const textOf = (page: Page, selector: string) => page.$eval(selector, (element) => element.textContent);
/** Waits until an element contains a text. The error says what the element and the page contain instead. */
async function waitForText(page: Page, selector: string, text: string): Promise<void> {
  const element = `document.querySelector(${JSON.stringify(selector)})`;
  try {
    await page.waitForFunction(`${element}?.textContent.includes(${JSON.stringify(text)})`, { timeout: STEP_MS, polling: POLLING_MS });
  } catch (cause) {
    const shown = await page.evaluate(`JSON.stringify([${element}?.textContent, document.body.innerText]).slice(0, 2_000)`);
    throw new Error(`${page.url()}: ${selector} does not contain "${text}", but ${String(shown)}`, { cause });
  }
}

/** Presses a button. A click with the mouse misses one that moves while the page is still being drawn. */
async function press(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector);
  await page.$eval(selector, (button) => (button as unknown as { click(): void }).click());
}

/** Follows the link of the shown message whose address contains a path. Returns the tab that opens. */
async function followLink(page: Page, path: string): Promise<Page> {
  const frame = await (await page.$("#mail-body"))!.contentFrame();
  const link = (await frame.waitForSelector(`a[href*="${path}"]`))!;
  const opened = new Promise<Page | null>((resolve) => page.once("popup", resolve));
  await link.press("Enter");
  return (await opened)!;
}

/** Signs in as the demo's admin with the button. */
async function signIn(page: Page): Promise<void> {
  await press(page, "#sign-in button");
  await waitForText(page, "#signed-in", "(admin).");
}

describe("the reference page", () => {
  test.each(addresses)(
    "lets a demo user sign in with one click and record a payment with the prefilled body, at %s",
    async (_name, base) => {
      const { page, problems } = await openPage(browser, `${base()}/api/docs#/Payments/recordPayment`);
      await signIn(page);
      const body = ".opblock.is-open textarea.body-param__text";
      await waitForText(page, body, "try-it-");
      await press(page, ".opblock.is-open .execute");
      await waitForText(page, ".live-responses-table tr.response .response-col_status", "200");
      expect(await textOf(page, ".request-url")).toContain(`${base()}/api/payments`);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "sends the access token of a sign-in that is executed in it",
    async () => {
      const { page } = await openPage(browser, `${addresses[0]![1]()}/api/docs#/Auth/login`);
      await page.locator(".opblock.is-open textarea").fill(JSON.stringify({ email: demoLogins[0]!.email, password: demoPassword }));
      await press(page, ".opblock.is-open .execute");
      await page.waitForSelector(".btn.authorize.locked");
    },
    TIMEOUT_MS,
  );

  test("leads from its address with a slash to the one without, also behind a proxy", async () => {
    for (const base of [addresses[0]![1](), addresses[3]![1]()]) expect((await fetch(`${base}/api/docs/`)).url).toBe(`${base}/api/docs`);
  });
});

interface ExampleDocument {
  paths: Record<string, Record<string, { operationId: string; parameters?: Parameter[]; requestBody?: { content: Record<string, { example?: unknown }> } }>>;
}
interface Parameter {
  in: string;
  name: string;
  example?: string;
}

/** Operations whose examples are executed one after the other, those first that others build on. */
const triedOperations = [
  ["login", "getMe", "updateMe", "createUser", "listProperties", "getProperty", "updateProperty", "createProperty", "createUnit", "createUnits"],
  ["updateUnit", "createUnitFeeTemplate", "createTenant", "updateTenant", "createOwner", "createVendor", "getLease", "updateLease", "createLease"],
  ["createOccupant", "createBillingSchedule", "createRentChange", "renewLease", "createWorkOrder", "getWorkOrder", "updateWorkOrder", "assignWorkOrder"],
  ["transitionWorkOrder", "createInspection", "createNote", "listNotes", "search", "getDashboard", "createCharge", "createCharges", "creditCharge"],
  ["createRecurringCharge", "recordPayment", "getPayment", "createDeposit", "createJournalEntry", "getTrialBalance", "listGeneralLedger"],
  ["getLeaseStatement", "getTenantStatement", "postDueCharges", "createImportBundle", "getImportTemplate", "getBulkImportTemplate", "createServiceKey"],
].flat();

test(
  "the examples of the reference page of operations that build on each other succeed, once a demo user has signed in",
  async () => {
    const client = new Client(system.baseUrl);
    client.token = (await client.call("login", { body: { email: demoLogins[0]!.email, password: demoPassword } })).accessToken;
    const module = new URL("../../gateway/src/pages/assets/examples.js", import.meta.url).href;
    const { readDemo, useDemo } = (await import(module)) as {
      readDemo(document: ExampleDocument, role: string, read: (path: string) => Promise<unknown>): Promise<object>;
      useDemo(document: ExampleDocument, demo: object, login: object): ExampleDocument;
    };
    const openApi = (await (await client.raw("GET", "/api/openapi.json")).json()) as ExampleDocument;
    const demo = await readDemo(openApi, "admin", async (path) => (await client.raw("GET", path)).json());
    const { paths } = useDemo(openApi, demo, { email: demoLogins[0]!.email, password: demoPassword });
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
    );
    const failures: string[] = [];
    for (const id of triedOperations) {
      const { method, path, parameters = [], requestBody } = operations.find(({ operationId }) => operationId === id)!;
      const exampleOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.example ?? "";
      const query = new URLSearchParams(parameters.flatMap((each) => (each.in === "query" && each.example ? [[each.name, each.example]] : [])));
      const url = `${path.replace(/\{(\w+)\}/g, (_, name: string) => exampleOf(name))}?${query.toString()}`;
      const response = await client.raw(method, url, requestBody?.content["application/json"]?.example);
      if (!response.ok) failures.push(`${id} ${response.status} ${await response.text()}`);
    }
    expect(failures).toEqual([]);
  },
  TIMEOUT_MS,
);

describe("the start page", () => {
  test(
    "shows the services, and to a demo user who has signed in with one click the events of the organization at once",
    async () => {
      const { page, problems } = await openPage(browser, `${addresses[3]![1]()}/`);
      await waitForText(page, "#status", "All services work");
      expect(await page.$$eval("#services b", (names) => names.map((name) => name.textContent))).toEqual(
        expect.arrayContaining(["identity", "portfolio", "ledger", "communications", "imports"]),
      );
      await signIn(page);
      await waitForText(page, "#events-hint", "Connected");
      await press(page, "#record-payment:enabled");
      await waitForText(page, "#events", "payment.received");
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "shows the messages of the outbox as their recipients see them, with links that work, also behind a proxy",
    async () => {
      const { page, problems } = await openPage(browser, `${addresses[3]![1]()}/`);
      await waitForText(page, "#mails", "Confirm your e-mail address");
      await press(page, "#mails button::-p-text(Confirm your e-mail address)");
      await waitForText(page, "#mail-subject", "Confirm your e-mail address");
      const popup = await followLink(page, "/email-confirmation/");
      await waitForText(popup, "h1", "Confirm your e-mail address");
      expect(popup.url()).toContain(`${addresses[3]![1]()}/email-confirmation/`);
      await press(popup, "button");
      // The seeding of the demo has used the link.
      await waitForText(popup, "#status", "This link has already been used.");
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "shows an invite, which its recipient accepts in the browser and then signs in",
    async () => {
      const client = new Client(system.baseUrl);
      client.token = (await client.call("login", { body: { email: demoLogins[0]!.email, password: demoPassword } })).accessToken;
      const [email, password] = [anEmail(), "a password of ten words or fewer"];
      await client.call("createUser", { body: { email, fullName: "Nora New", role: "manager" } });

      const { page, problems } = await openPage(browser, `${addresses[3]![1]()}/`);
      const mail = `#mails button::-p-text(${email})`;
      await press(page, mail);
      await waitForText(page, "#mail-people", email);
      const popup = await followLink(page, "/invites/");
      expect(popup.url()).toContain(`${addresses[3]![1]()}/invites/`);
      await waitForText(popup, "#invite", `invites ${email}.`);
      expect(await popup.evaluate("form.fullName.value")).toBe("Nora New");
      await popup.locator("#password").fill("short");
      await press(popup, "button");
      // The browser itself refuses a short password.
      expect(await popup.evaluate("form.password.validity.tooShort")).toBe(true);
      await popup.locator("#password").fill(password);
      await press(popup, "button");
      await waitForText(popup, "#status", "Welcome. Your account is ready.");
      const { user } = await new Client(system.baseUrl).call("login", { body: { email, password } });
      expect([user.fullName, user.role]).toEqual(["Nora New", "manager"]);

      await popup.reload();
      await waitForText(popup, "#status", "This invite has already been accepted.");
      expect(await popup.evaluate("form.hidden")).toBe(true);
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "fits a narrow screen",
    async () => {
      const { page } = await openPage(browser, `${addresses[0]![1]()}/`, { width: 380 });
      await waitForText(page, "#mails", "Confirm your e-mail address");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(380);
    },
    TIMEOUT_MS,
  );
});

describe.each(["light", "dark"])("in %s mode", (scheme) => {
  test.each([
    ["the start page", "", "#mails button", 4.5],
    ["the page of a link", "invites/unknown-token", "#invite", 4.5],
  ])(
    "%s has texts that stand out from their background",
    async (name, path, selector, leastContrast) => {
      const { page, problems } = await openPage(browser, `${addresses[0]![1]()}/${path}`, { colorScheme: scheme });
      await page.waitForSelector(selector);
      if (name === "the page of a link") await waitForText(page, selector, "This invite has expired");
      const { texts, faint } = await measureContrast(page, leastContrast);
      expect(texts).toBeGreaterThan(1);
      expect(faint).toEqual([]);
      if (name !== "the page of a link") expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "the start page has a background of that mode",
    async () => {
      const { page } = await openPage(browser, `${addresses[0]![1]()}/`, { colorScheme: scheme });
      const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(background).toBe(scheme === "dark" ? "rgb(16, 21, 19)" : "rgb(244, 246, 243)");
    },
    TIMEOUT_MS,
  );
});
