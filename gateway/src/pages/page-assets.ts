/** Scripts and styles of the pages, served as they are written in `assets/`, and the settings that a page hands to its script. */
import express, { type Router } from "express";
import { readFileSync } from "node:fs";
import { demoLogins, demoPassword } from "./demo-logins.ts";
import { staticDocument } from "./static-document.ts";

/** Features of a system that its pages show. */
export interface PageFeatures {
  /** Set where the demo organization exists, so that its public logins are shown. */
  hasDemo: boolean;
  /** Set where the development outbox is on. */
  hasOutbox: boolean;
}

const contentTypes: Record<string, string> = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8" };

/** Creates the routes of assets, each by its name. */
export function assetRoutes(...names: string[]): Router {
  const router = express.Router();
  for (const name of names) {
    const text = readFileSync(new URL(`assets/${name}`, import.meta.url), "utf8");
    router.get(`/${name}`, staticDocument(contentTypes[name.split(".").at(-1)!]!, text));
  }
  return router;
}

/** Returns the element with the settings of a page. It contains data, which a content security policy permits, and no script. */
export function settingsElement({ hasDemo }: PageFeatures, settings: object = {}): string {
  const json = JSON.stringify({ demo: hasDemo ? { password: demoPassword, logins: demoLogins } : null, ...settings });
  return `<script type="application/json" id="settings">${json.replaceAll("<", "\\u003c")}</script>`;
}

/** Returns the element in which a user of the demo signs in with one click; empty where there is no demo. */
export const signInElement = ({ hasDemo }: PageFeatures): string =>
  hasDemo
    ? `<form id="sign-in"><label for="role">Demo user</label> <select id="role">${demoLogins.map(({ role }) => `<option>${role}</option>`).join("")}</select> <button>Sign in</button> <span id="signed-in" role="status"></span></form>`
    : "";
