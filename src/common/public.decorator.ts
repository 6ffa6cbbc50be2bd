import { SetMetadata, type CustomDecorator } from '@nestjs/common';

/** Metadata key of {@link Public}. */
export const IS_PUBLIC = 'isPublic';

/** Opens a controller or a route to requests without credentials. All others require authentication where it is on. */
export const Public = (): CustomDecorator => SetMetadata(IS_PUBLIC, true);
