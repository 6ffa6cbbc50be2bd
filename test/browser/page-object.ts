import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

/** Bounds hangs. */
const PATIENCE_MS = 60_000;

/** What a visitor looks at the page with. */
export type Device = Required<Pick<BrowserContextOptions, 'viewport' | 'isMobile' | 'colorScheme'>> & {
  readonly viewport: { readonly width: number; readonly height: number };
};

export const DESKTOP: Device = { viewport: { width: 1280, height: 900 }, isMobile: false, colorScheme: 'light' };
/** Its browser lays a page without a viewport out for 980 px. */
export const PHONE: Device = { viewport: { width: 390, height: 844 }, isMobile: true, colorScheme: 'light' };

/** What the page shows of a response. */
interface ShownResponse {
  readonly status: string;
  readonly body: string;
  /** By lower-cased name; as the page writes them. */
  readonly headers: ReadonlyMap<string, string>;
}

/** The Swagger page as a visitor uses it; notes what goes wrong behind it. */
export class SwaggerPage {
  /** Errors of the console and of scripts, failed requests, requests that are not below the base. */
  readonly troubles: string[] = [];

  private constructor(
    base: string,
    readonly page: Page,
  ) {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => {
      // Responses of 400 and more are what some steps are about.
      const isTrouble = ['error', 'warning'].includes(message.type()) && !/status of \d{3}/.test(message.text());
      if (isTrouble) this.troubles.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.troubles.push(`script: ${error.message}`));
    page.on('requestfailed', (request) => {
      // The browser cancels what it still loads where a test opens another page.
      const isCancelled = request.failure()?.errorText === 'net::ERR_ABORTED';
      if (!isCancelled) this.troubles.push(`failed: ${request.url()}`);
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'data:' && !url.href.startsWith(`${base}/`)) this.troubles.push(`elsewhere: ${url.href}`);
    });
  }

  /** Opens a path of the service on a page of its own and waits until operations can be opened. */
  static async open(browser: Browser, base: string, path = '/', device = DESKTOP): Promise<SwaggerPage> {
    const swagger = new SwaggerPage(base, await browser.newPage(device));
    await swagger.page.goto(`${base}${path}`);
    await swagger.page.locator('.opblock-summary-control').first().waitFor();
    return swagger;
  }

  operation(operationId: string): Locator {
    return this.page.locator(`.opblock[id$="-${operationId}"]`);
  }

  async openOperation(operationId: string): Promise<void> {
    await this.operation(operationId).locator('.opblock-summary-control').click();
    await this.operation(operationId).locator('.execute').waitFor();
  }

  /** Opens an operation, fills fields in, and executes it. */
  async try(operationId: string, fields: Readonly<Record<string, string>> = {}): Promise<ShownResponse> {
    await this.openOperation(operationId);
    return this.tryOpened(operationId, fields);
  }

  async tryOpened(operationId: string, fields: Readonly<Record<string, string>> = {}): Promise<ShownResponse> {
    for (const [name, value] of Object.entries(fields)) {
      const row = this.operation(operationId).locator(`tr[data-param-name="${name}"]`);
      await row.locator('input, select').first().waitFor();
      if ((await row.locator('input').count()) === 0) await row.locator('select').selectOption(value);
      else await row.locator('input').fill(value);
    }
    const button = this.operation(operationId).locator('.execute');
    await Promise.all([this.page.waitForResponse(/\/api\/Shipping\//), button.click()]);
    return this.shownResponse(operationId);
  }

  private async shownResponse(operationId: string): Promise<ShownResponse> {
    const shown = this.operation(operationId).locator('.live-responses-table tr.response');
    await shown.waitFor();
    const lines = await shown.locator('.headerline').allInnerTexts();
    const headers = lines.map((line): [string, string] => {
      const [name = '', ...value] = line.trim().split(': ');
      return [name, value.join(': ')];
    });
    return {
      status: (await shown.locator('.response-col_status').innerText()).trim(),
      body: (await shown.locator('.highlight-code pre').allInnerTexts()).join('\n'),
      headers: new Map(headers),
    };
  }
}
