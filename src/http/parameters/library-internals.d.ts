declare module 'class-validator/cjs/validation/ValidationUtils' {
  export { ValidationUtils } from 'class-validator/types/validation/ValidationUtils';
}

declare module 'class-transformer/cjs/storage' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage';
}
