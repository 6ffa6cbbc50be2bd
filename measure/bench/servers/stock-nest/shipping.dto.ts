import { Type } from 'class-transformer';
import { IsDate, IsEnum, IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';

enum ShippingStatus {
  Created = 'Created',
  InTransit = 'InTransit',
  Delivered = 'Delivered',
  Cancelled = 'Cancelled',
  Unknown = 'Unknown',
}

class ShippingFilterDto {
  @IsOptional()
  @IsString()
  @MaxLength(200)
  SearchTerm?: string;

  @IsOptional()
  @IsString()
  @MaxLength(64)
  OrderId?: string;

  @IsOptional()
  @IsEnum(ShippingStatus)
  Status?: ShippingStatus;

  @IsOptional()
  @Type(() => Date)
  @IsDate()
  FromDate?: Date;

  @IsOptional()
  @Type(() => Date)
  @IsDate()
  ToDate?: Date;
}

export class GetShippingPagedListDto extends ShippingFilterDto {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  PageNumber = 1;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  PageSize = 10;

  @IsOptional()
  @IsIn(['CreatedDate', 'Status', 'TrackingNumber'])
  SortBy = 'CreatedDate';

  @IsOptional()
  @IsIn(['asc', 'desc'])
  SortDirection = 'desc';
}

export class GetShippingInfoByIdDto {
  @Matches(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  id: string;
}
