/** Chromium, in which tests use the pages as people do. */
import { launch, type Browser, type Page } from "puppeteer-core";
import { findProgram } from "../../../deploy/system/programs.ts";

/** Maximum time of each step in the browser, and of a test, which has several. */
export const STEP_MS = 120_000;
export const TIMEOUT_MS = 3 * STEP_MS;
/** Interval in which a condition is checked. The default, each frame, stops while the browser draws no frames of a page. */
export const POLLING_MS = 100;

/** Name that resolves to this machine in the browser, and is neither an address nor `localhost`. */
export const HOST_NAME = "freehold.example";

export const launchBrowser = (): Promise<Browser> =>
  launch({
    executablePath: findProgram("chromium", { names: ["chromium", "chromium-browser", "google-chrome"] }),
    timeout: STEP_MS,
    // Only pages of the tests are opened, so that no sandbox is needed, which a container often lacks. The pages have no HTTPS to upgrade to.
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--no-proxy-server",
      "--disable-features=HttpsUpgrades",
      `--host-resolver-rules=MAP ${HOST_NAME} 127.0.0.1`,
    ],
  });

/** Opens a page of its own session. `problems` are the errors of its scripts and what its content security policy has refused. */
export async function openPage(browser: Browser, url: string, { width = 1280, colorScheme = "light" } = {}): Promise<{ page: Page; problems: string[] }> {
  const page = await (await browser.createBrowserContext()).newPage();
  page.setDefaultTimeout(STEP_MS);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: colorScheme }]);
  await page.bringToFront();
  await page.goto(url);
  return { page, problems };
}
