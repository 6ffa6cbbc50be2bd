import type { SwaggerPage, View } from './swagger-page';

/** One thing that a visitor does, on a page freshly opened. */
export interface Step {
  readonly name: string;
  /** Where the visitor starts; `/` where it is not given. */
  readonly path?: string;
  /** A desktop with a light theme where it is not given. */
  readonly view?: View;
  /** The operation that the screenshot shows the answer of. */
  readonly operationId?: string;
  /** The status of 400 or more that the step is about. */
  readonly expectedStatus?: number;
  readonly act: (swagger: SwaggerPage) => Promise<void>;
}
