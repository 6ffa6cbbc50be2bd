import { SetMetadata, type CustomDecorator } from '@nestjs/common';

export const IS_PUBLIC = 'isPublic';

/** Opens a controller or a route to requests without credentials. */
export const Public = (): CustomDecorator => SetMetadata(IS_PUBLIC, true);
