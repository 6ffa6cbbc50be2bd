import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { ValidatorConstraintInterface } from 'class-validator';
import { ParameterBinder } from './parameter-binder';
import type { RequestQuery } from '../query-string';

/** Validation pipe for parameter classes: binds, converts and validates parameters by the decorators of the class. */
@Injectable()
export class ParametersPipe implements PipeTransform<RequestQuery | Record<string, string>, object> {
  private readonly binders = new Map<Type, ParameterBinder<object>>();

  constructor(private readonly moduleRef: ModuleRef) {}

  transform(value: RequestQuery | Record<string, string>, { type, metatype }: ArgumentMetadata): object {
    const binder = this.binderOf(metatype as Type<object>);
    return type === 'param'
      ? binder.bindPath(value as Record<string, string>)
      : binder.bindQuery(value as RequestQuery);
  }

  private binderOf(type: Type<object>): ParameterBinder<object> {
    let binder = this.binders.get(type);
    if (binder === undefined) {
      binder = new ParameterBinder(type, (constraint) => this.resolve(constraint));
      this.binders.set(type, binder);
    }
    return binder;
  }

  private resolve(constraint: Type): ValidatorConstraintInterface | undefined {
    try {
      return this.moduleRef.get<ValidatorConstraintInterface>(constraint, { strict: false });
    } catch {
      return undefined;
    }
  }
}
