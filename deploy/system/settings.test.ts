import { describe, expect, test } from "@jest/globals";
import { ConfigurationError } from "@freehold/kit/config";
import { readSettings } from "./settings.ts";

const service = "postgres://ledger@db/ledger";
const owner = "postgres://ledger_owner@db/ledger";

describe("database URLs", () => {
  test("of the owner's role default to the URL of the service's role", () => {
    expect(readSettings({ LEDGER_DATABASE_URL: service }).databaseUrls).toEqual({ ledger: { service, owner: service } });
    expect(readSettings({ LEDGER_DATABASE_URL: service, LEDGER_OWNER_DATABASE_URL: owner }).databaseUrls).toEqual({ ledger: { service, owner } });
    expect(readSettings({}).databaseUrls).toEqual({});
  });

  test("of the owner's role are refused without the URL of the service", () => {
    const read = () => readSettings({ LEDGER_OWNER_DATABASE_URL: owner, PORTFOLIO_DATABASE_URL: service });
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow("LEDGER_OWNER_DATABASE_URL is wrong: it requires LEDGER_DATABASE_URL");
  });

  test("disable the demo organization, unless SEED_DEMO enables it, and the development outbox, which SMTP_URL also disables", () => {
    const summary = (environment: NodeJS.ProcessEnv) => {
      const settings = readSettings(environment);
      return { hasDemo: settings.hasDemo, devOutbox: settings.environment.DEV_OUTBOX };
    };
    expect(summary({})).toEqual({ hasDemo: true, devOutbox: "true" });
    expect(summary({ LEDGER_DATABASE_URL: service })).toEqual({ hasDemo: false, devOutbox: "false" });
    expect(summary({ LEDGER_DATABASE_URL: service, SEED_DEMO: "true" })).toEqual({ hasDemo: true, devOutbox: "false" });
    expect(summary({ SEED_DEMO: "false", SMTP_URL: "smtp://mail.example" })).toEqual({ hasDemo: false, devOutbox: "false" });
  });
});

describe("the development outbox, which shows links that reset passwords,", () => {
  const hasDevOutbox = (environment: NodeJS.ProcessEnv) => readSettings(environment).environment.DEV_OUTBOX === "true";

  test.each(["127.0.0.1", "127.1.2.3", "localhost", "::1", "::ffff:127.0.0.1"])(
    "is on by default at the loopback address %s, and off with DEV_OUTBOX=false",
    (HOST) => {
      expect([{}, { DEV_OUTBOX: "true" }, { DEV_OUTBOX: "false" }].map((each) => hasDevOutbox({ HOST, ...each }))).toEqual([true, true, false]);
    },
  );

  test.each(["0.0.0.0", "::", "192.168.1.5", "128.0.0.1", "127.0.0.1.example.com", "localhost.example.com"])(
    "is off at %s, which other machines may reach, unless DEV_OUTBOX=true turns it on",
    (HOST) => {
      expect([{}, { DEV_OUTBOX: "true" }, { DEV_OUTBOX: "false" }].map((each) => hasDevOutbox({ HOST, ...each }))).toEqual([false, true, false]);
    },
  );

  test("is off where e-mails are sent, also with DEV_OUTBOX=true", () => {
    expect(hasDevOutbox({ SMTP_URL: "smtp://mail.example", DEV_OUTBOX: "true" })).toBe(false);
  });

  test("is refused with another value than true or false, in words that name the setting", () => {
    expect(() => readSettings({ DEV_OUTBOX: "yes" })).toThrow("DEV_OUTBOX is wrong: ");
  });
});

describe("the demo organization, whose passwords are public,", () => {
  const summary = (environment: NodeJS.ProcessEnv) => {
    const settings = readSettings(environment);
    return [settings.hasDemo, settings.environment.SHOW_DEMO_LOGINS];
  };

  test.each(["127.0.0.1", "localhost", "::1"])("is seeded by default at the loopback address %s, and shown with its logins", (HOST) => {
    expect(summary({ HOST })).toEqual([true, "true"]);
    expect(summary({ HOST, SEED_DEMO: "false" })).toEqual([false, "false"]);
  });

  test.each([{ HOST: "0.0.0.0" }, { HOST: "192.168.1.5" }, { PUBLIC_URL: "https://api.example.com" }, { SMTP_URL: "smtp://mail.example" }])(
    "is seeded with %j only by SEED_DEMO=true",
    (environment) => {
      expect(summary(environment)).toEqual([false, "false"]);
      expect(summary({ ...environment, SEED_DEMO: "true" })).toEqual([true, "true"]);
    },
  );
});

describe("METRICS_PORT", () => {
  test.each(["0", "65531", "65535"])("is refused as %s, outside of 1 to 65530: the services use the next five ports", (METRICS_PORT) => {
    expect(() => readSettings({ METRICS_PORT })).toThrow("METRICS_PORT is wrong: ");
  });

  test.each(["1", "65530"])("is accepted as %s", (METRICS_PORT) => {
    expect(readSettings({ METRICS_PORT }).environment).toMatchObject({ METRICS_PORT });
  });
});

describe("settings of external NATS servers", () => {
  const passwords = { gateway: "g", identity: "i", portfolio: "p", ledger: "l", communications: "c", imports: "m" };
  const passwordSettings = Object.fromEntries(Object.entries(passwords).map(([name, password]) => [`${name.toUpperCase()}_NATS_PASSWORD`, password]));

  test("are the URL, the password of each process, and optionally the certificate authority", () => {
    expect(readSettings({ ...passwordSettings, NATS_URL: "tls://nats:4222" }).nats).toEqual({ url: "tls://nats:4222", ca: undefined, passwords });
    expect(readSettings({ ...passwordSettings, NATS_URL: "nats://nats", NATS_CA: "/etc/ca.crt" }).nats?.ca).toBe("/etc/ca.crt");
    expect(readSettings({}).nats).toBeUndefined();
  });

  test("are refused when one is missing, or when the URL contains credentials, which the message does not repeat", () => {
    expect(() => readSettings({ NATS_URL: "tls://nats" })).toThrow(/GATEWAY_NATS_PASSWORD is not set.*IMPORTS_NATS_PASSWORD is not set/);
    expect(() => readSettings({ NATS_CA: "/etc/ca.crt" })).toThrow("NATS_URL is not set");
    const read = () => readSettings({ ...passwordSettings, NATS_URL: "nats://user:secret@nats" });
    expect(read).toThrow(/^NATS_URL is wrong: it contains credentials(?!.*secret)/);
  });
});
