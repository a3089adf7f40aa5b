/** Chromium, in which tests use the pages as people do. */
import { launch, type Browser, type Page } from "puppeteer-core";
import { findProgram } from "../../../deploy/system/programs.ts";

/** Maximum time of each step in the browser. */
export const TIMEOUT_MS = 120_000;

/** Name that resolves to this machine in the browser, and is neither an address nor `localhost`. */
export const HOST_NAME = "freehold.example";

export const launchBrowser = (): Promise<Browser> =>
  launch({
    executablePath: findProgram("chromium", { names: ["chromium", "chromium-browser", "google-chrome"] }),
    timeout: TIMEOUT_MS,
    // Only pages of the tests are opened, so that no sandbox is needed, which a container often lacks.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server", `--host-resolver-rules=MAP ${HOST_NAME} 127.0.0.1`],
  });

/** Opens a page of its own session. `problems` are the errors of its scripts and what its content security policy has refused. */
export async function openPage(browser: Browser, url: string, { width = 1280, colorScheme = "light" } = {}): Promise<{ page: Page; problems: string[] }> {
  const page = await (await browser.createBrowserContext()).newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: colorScheme }]);
  await page.goto(url);
  return { page, problems };
}
