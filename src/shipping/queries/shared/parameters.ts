import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsDate, IsDefined, IsEnum, IsOptional, ValidateBy, type ValidationArguments } from 'class-validator';
import { dateMessage, parseDate } from '../../../common/iso-date';
import type { Settings } from '../../../config/settings';
import { Parameter, type ParameterOptions } from '../../../http/parameters/parameter-class';
import * as rules from '../../model/parameter-rules';
import { SHIPPING_STATUSES, ShippingStatus, shippingStatusFromName, STATUS_SCHEMA } from '../../model/shipping-status';

/*
 * Each decorator defines how one parameter is bound, converted, validated and documented. No text and no date has a
 * pattern or a longest length in the document: the Swagger page would refuse by it, with the expression as its message,
 * what the service accepts, because the service trims values and counts code points (D88). The examples of filters are
 * in the list `examples`, which the page shows in empty fields: a field with an `example` would be filled.
 */

export const PageNumber = (): PropertyDecorator => paging(rules.PAGE_NUMBER, 'Which page, counted from 1.');

export const PageSize = (): PropertyDecorator => paging(rules.PAGE_SIZE, 'Records per page.');

const LIMIT_MEANS = `How many results, ${rules.MAX_LIMIT} at most; a larger value counts as that. Left out: the external system decides (${rules.DEFAULT_LIMIT} by default). A list with as many has \`limit\` in \`Shipping-Completeness\`.`;

export const Limit = (): PropertyDecorator =>
  applyDecorators(IsOptional(), integer(rules.LIMIT, { example: 20, description: LIMIT_MEANS }));

const SEARCH_TERM_MEANS =
  "Text to find in shipping addresses, tracking numbers and, in the external system's extended variant, order ids.";

export const SearchTerm = (): PropertyDecorator =>
  text(rules.MAX_SEARCH_TERM_LENGTH, SEARCH_TERM_MEANS, { examples: ['Berlin'] });

export const OrderId = (): PropertyDecorator =>
  text(rules.MAX_REFERENCE_LENGTH, 'Identifier of the related order; exact match.', { examples: ['ORD-000001'] });

export const TrackingNumber = (): PropertyDecorator =>
  text(rules.MAX_REFERENCE_LENGTH, 'Tracking number of the carrier; exact match.', { examples: ['JD014600003828761'] });

export const Status = (): PropertyDecorator =>
  applyDecorators(
    Parameter({ convert: (text) => shippingStatusFromName(text) ?? text }),
    IsOptional(),
    IsEnum(ShippingStatus, { message: `must be one of ${SHIPPING_STATUSES.join(', ')}` }),
    ApiPropertyOptional({
      ...STATUS_SCHEMA,
      // Nest writes an `allOf` of one reference, which Redocly refuses where nothing stands beside it: `title` does.
      title: 'Status',
      description: 'Shipping status; exact match. The name counts ignoring case.',
    }),
  );

export const FromDate = (): PropertyDecorator =>
  date('start', 'Created on or after; a date means its beginning.', '2026-01-01');

const TO_DATE_MEANS =
  'Created on or before: `2026-07-31` covers that day whole, `2026-07-31T00:00:00Z` misses it. Not before `FromDate`.';

export const ToDate = (): PropertyDecorator =>
  applyDecorators(
    date('end', TO_DATE_MEANS, '2026-07-31'),
    rule('must not be before FromDate', (to, { object }) => {
      const { FromDate: from } = object as { FromDate?: unknown };
      return !(to instanceof Date && from instanceof Date) || to >= from;
    }),
  );

const SORT_BY_MEANS = `Sort key, ignoring case: ${rules.SORT_KEYS.join(', ')}. Any other, or a blank one, sorts by CreatedDate descending; any other is named in \`Shipping-Ignored-Parameters\`.`;

export const SortBy = (): PropertyDecorator => openText(rules.SORT_KEYS, SORT_BY_MEANS, { keepBlank: true });

const SORT_DIRECTION_MEANS =
  '`asc`, ignoring case, sorts ascending; anything else descending. Any but `desc` is named in `Shipping-Ignored-Parameters`.';

export const SortDirection = (): PropertyDecorator => openText(['desc', 'asc'], SORT_DIRECTION_MEANS);

export const Identifier = (): PropertyDecorator =>
  applyDecorators(
    Parameter({ rule: identifierFault }),
    ApiPropertyOptional({ type: String, description: rules.ID_TEXTS.description, examples: [rules.ID_TEXTS.example] }),
  );

/**
 * A parameter that accepts any text. The description names the texts with a meaning, of which the first is the default:
 * with an enumeration, generated clients would accept no other text.
 */
function openText(known: readonly string[], description: string, options: ParameterOptions = {}): PropertyDecorator {
  return applyDecorators(
    Parameter({ ...options, effective: known }),
    ApiPropertyOptional({ type: String, default: known[0], description }),
  );
}

function paging(rule: typeof rules.PAGE_SIZE, meaning: string): PropertyDecorator {
  const description = `${meaning} Anything else: 400 with the plain text \`${rule.message}\`.`;
  const documented = integer(rule, { default: rule.default, example: rule.default, description });
  return applyDecorators(Parameter({ plainMessage: rule.message }), documented);
}

function integer({ min, max, message }: typeof rules.LIMIT, docs: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(
    Parameter({ convert: (text) => (/^[0-9]+$/.test(text) ? Number(text) : NaN) }),
    rule(message, (value) => Number(value) >= min && Number(value) <= max),
    ApiPropertyOptional({ type: 'integer', format: 'int32', minimum: min, maximum: max, ...docs }),
  );
}

/** A required text of at most `maxLength` Unicode code points. */
export const RequiredText = (maxLength: number, description: string, example: string): PropertyDecorator =>
  text(maxLength, description, { example }, true);

type Examples = Pick<ApiPropertyOptions, 'example' | 'examples'>;

function text(maxLength: number, meaning: string, docs: Examples, required = false): PropertyDecorator {
  const description = `${meaning} Up to ${maxLength} characters.`;
  const isShort = (value: unknown): boolean => typeof value !== 'string' || [...value].length <= maxLength;
  return applyDecorators(
    required ? IsDefined({ message: 'is missing' }) : IsOptional(),
    rule(`must have at most ${maxLength} characters`, isShort),
    ApiProperty({ type: String, required, description, ...docs }),
  );
}

function date(dateOnlyMeans: 'start' | 'end', description: string, example: string): PropertyDecorator {
  const documented = `${description} ISO 8601, a date or a date and time; without a zone it is UTC. In a URL, the \`+\` of a zone is \`%2B\`.`;
  return applyDecorators(
    Parameter({ convert: (text) => parseDate(text, dateOnlyMeans) ?? text }),
    IsOptional(),
    IsDate({ message: ({ value }) => dateMessage(String(value)) }),
    ApiPropertyOptional({ type: String, description: documented, examples: [example] }),
  );
}

/**
 * Why an identifier is refused, if it is. It becomes part of a path, so that `.` and `..` never pass, which would lead
 * to another path of the external system (D9).
 */
function identifierFault(text: string, { idPattern }: Settings): string | undefined {
  const isValid = text.length <= rules.MAX_IDENTIFIER_LENGTH && !/^\.{1,2}$/.test(text) && idPattern.test(text);
  return isValid ? undefined : 'is not a valid shipping identifier';
}

/** Refuses requests that have none of the named parameters. */
export const AtLeastOneOf = (...names: readonly string[]): PropertyDecorator => Parameter({ atLeastOneOf: names });

function rule(message: string, validate: (value: unknown, args: ValidationArguments) => boolean): PropertyDecorator {
  return ValidateBy({ name: message, validator: { validate, defaultMessage: () => message } });
}
