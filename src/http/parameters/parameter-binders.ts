import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { ValidatorConstraintInterface } from 'class-validator';
import { ParameterBinder } from './parameter-binder';

/** The binder of each parameter class of an application, made on first use. */
@Injectable()
export class ParameterBinders {
  private readonly binders = new Map<Type, ParameterBinder<object>>();

  constructor(private readonly moduleRef: ModuleRef) {}

  of(type: Type<object>): ParameterBinder<object> {
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
