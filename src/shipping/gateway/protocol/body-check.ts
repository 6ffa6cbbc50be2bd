import type { Type } from '@nestjs/common';
import { fieldsOf, type FieldOptions } from '../../../common/model-fields';

type Check = (value: unknown) => boolean;

/** Checks whether a value has exactly the fields of a model, each of its documented type. */
export function isModel(model: Type): Check {
  const checks = fieldsOf(model).map(([name, options]) => [name, checkOf(options)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const fields = value as Readonly<Record<string, unknown>>;
    return (
      Object.keys(fields).length === checks.length &&
      checks.every(([name, check]) => Object.hasOwn(fields, name) && check(fields[name]))
    );
  };
}

/** Checks whether a value is a list of a model. */
export function isListOf(model: Type): Check {
  const check = isModel(model);
  return (value) => Array.isArray(value) && value.every(check);
}

function checkOf({ type, enum: values, isArray = false, nullable = false }: FieldOptions): Check {
  const check = isArray ? isListOf((type as () => Type)()) : checkOfType(type, values);
  return (value) => (nullable && value === null) || check(value);
}

function checkOfType(type: unknown, values: readonly unknown[] | undefined): Check {
  if (values !== undefined) return (value) => values.includes(value);
  if (type === 'integer') return (value) => Number.isSafeInteger(value) && (value as number) >= 0;
  const name = (type as { name: string }).name.toLowerCase();
  return (value) => typeof value === name;
}
