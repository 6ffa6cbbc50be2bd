import type { OpenAPIObject } from '@nestjs/swagger';
import { DEFAULT_MAX_RESPONSE_BYTES, MAX_IDENTIFIER_LENGTH } from '../../common/bounds';
import { DEFAULT_ID_PATTERN, type Settings } from '../../config/settings';

/** The parts of a schema that depend on settings. */
interface ConfigurableSchema {
  readonly pattern?: unknown;
  readonly maxLength?: unknown;
  readonly maxItems?: unknown;
  readonly [other: string]: unknown;
}

/** Applies settings to the document: the pattern of identifiers, and the largest upstream response. */
export function configuredDocument(document: OpenAPIObject, { idPattern, external }: Settings): OpenAPIObject {
  const pattern = idPattern.source === `^(?:${DEFAULT_ID_PATTERN})$` ? DEFAULT_ID_PATTERN : idPattern.source;
  const configured = (schema: ConfigurableSchema): ConfigurableSchema => ({
    ...schema,
    ...(schema.pattern === DEFAULT_ID_PATTERN &&
      pattern !== DEFAULT_ID_PATTERN && { pattern, minLength: 1, maxLength: MAX_IDENTIFIER_LENGTH }),
    ...(schema.maxLength === DEFAULT_MAX_RESPONSE_BYTES && { maxLength: external.maxResponseBytes }),
    ...(schema.maxItems === DEFAULT_MAX_RESPONSE_BYTES && { maxItems: external.maxResponseBytes }),
  });
  return JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? configured({ ...value }) : value,
  ) as OpenAPIObject;
}
