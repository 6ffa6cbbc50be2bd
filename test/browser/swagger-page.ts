import type { BrowserContext, Locator, Page } from 'playwright-core';

/** Bounds hangs. */
const PATIENCE_MS = 60_000;
const DESKTOP = { width: 1200, height: 900 };

/** How a visitor looks at the page. */
export interface View {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
}

/** What the page shows of an answer. */
export interface ShownAnswer {
  readonly status: string;
  readonly body: string;
  /** By lower-cased name; as the page writes them. */
  readonly headers: ReadonlyMap<string, string>;
}

/** The Swagger page as a visitor sees and uses it; counts the clicks and notes what goes wrong behind it. */
export class SwaggerPage {
  clicks = 0;
  /** Errors of the console, failed requests, requests to other hosts; statuses of 400 and more. */
  readonly troubles: string[] = [];

  private constructor(
    origin: string,
    readonly page: Page,
  ) {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.troubles.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.troubles.push(`script: ${error.message}`));
    page.on('requestfailed', (request) => this.troubles.push(`failed: ${request.url()}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'data:' && url.origin !== origin) this.troubles.push(`elsewhere: ${url.href}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.troubles.push(`status: ${response.status()} ${response.url()}`);
    });
  }

  /**
   * Opens a path of the service on a page of its own and waits until operations can be opened.
   *
   * @throws where the service refuses a part of the page, at once
   */
  static async open(context: BrowserContext, origin: string, path = '/', view: View = {}): Promise<SwaggerPage> {
    const { viewport = DESKTOP, colorScheme = 'light' } = view;
    const swagger = new SwaggerPage(origin, await context.newPage());
    try {
      await swagger.page.setViewportSize(viewport);
      await swagger.page.emulateMedia({ colorScheme });
      await swagger.page.goto(`${origin}${path}`, { waitUntil: 'load' });
      if (swagger.troubles.length > 0) throw new Error(swagger.troubles.join('\n'));
      await swagger.page.locator('button.opblock-summary-control').first().waitFor();
      return swagger;
    } catch (error) {
      await swagger.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.page.close();
  }

  /** Troubles but for answers that the step asks for: those show in the console, too. */
  troublesBut(expectedStatus?: number): string[] {
    const told = `status of ${String(expectedStatus)}`;
    return this.troubles.filter(
      (line) => !line.includes(told) && !line.startsWith(`status: ${String(expectedStatus)} `),
    );
  }

  operation(operationId: string): Locator {
    return this.page.locator(`.opblock[id$="-${operationId}"]`);
  }

  async openOperation(operationId: string): Promise<void> {
    await this.click(this.operation(operationId).locator('.opblock-summary-control'));
    await this.operation(operationId).locator('.execute').waitFor();
  }

  async fill(operationId: string, parameter: string, value: string): Promise<void> {
    const field = this.parameter(operationId, parameter);
    if ((await field.locator('select').count()) > 0) await field.locator('select').selectOption(value);
    else await field.locator('input').fill(value);
  }

  parameter(operationId: string, parameter: string): Locator {
    return this.operation(operationId).locator(`tr[data-param-name="${parameter}"]`);
  }

  async execute(operationId: string): Promise<ShownAnswer> {
    await this.click(this.operation(operationId).locator('.execute'));
    return this.answer(operationId);
  }

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  private async answer(operationId: string): Promise<ShownAnswer> {
    const shown = this.operation(operationId).locator('.live-responses-table tr.response');
    await shown.waitFor();
    const lines = await shown.locator('.headerline').allInnerTexts();
    const headers = lines.map((line): [string, string] => {
      const [name = '', ...value] = line.trim().split(': ');
      return [name, value.join(': ')];
    });
    return {
      status: (await shown.locator('.response-col_status').innerText()).trim(),
      body: await shown.locator('.highlight-code code').innerText(),
      headers: new Map(headers),
    };
  }

  /** Keeps what is to be seen, scrolled to the answer of the operation where there is one. */
  async screenshot(path: string, operationId?: string): Promise<void> {
    if (operationId !== undefined) {
      const answer = this.operation(operationId).locator('.responses-wrapper');
      if ((await answer.count()) > 0) await answer.scrollIntoViewIfNeeded();
    }
    await this.page.screenshot({ path });
  }
}
