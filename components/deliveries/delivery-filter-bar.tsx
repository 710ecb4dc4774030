'use client';

import { useQuery } from '@tanstack/react-query';
import { DELIVERY_STATUSES } from '@/server/core/model';
import { t } from '../messages';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { FilterBar } from '../ui/filter-bar';
import { FilterPicker } from '../ui/filter-picker';
import { DELIVERY_LOOKS } from '../ui/status';
import { StatusShape } from '../ui/status-shape';
import type { EndpointNames } from './columns';
import { type DeliveryFilters, hasFilters, NO_FILTERS } from './filters';

export interface DeliveryFilterBarProps {
  filters: DeliveryFilters;
  onChange: (change: Partial<DeliveryFilters>) => void;
  names: EndpointNames;
}

const STATUS_OPTIONS = DELIVERY_STATUSES.map((status) => ({
  value: status,
  label: t.status.stored[status],
  mark: <StatusShape shape={DELIVERY_LOOKS[status].shape} tone={DELIVERY_LOOKS[status].tone} />,
}));

export function DeliveryFilterBar({ filters, onChange, names }: DeliveryFilterBarProps) {
  const trpc = useTRPC();
  const { data: types = [] } = useQuery(trpc.deliveries.types.queryOptions(usePlace()));
  return (
    <FilterBar onClear={hasFilters(filters) ? () => onChange(NO_FILTERS) : null}>
      <FilterPicker
        first
        name={t.deliveries.filters.status}
        value={filters.status}
        options={STATUS_OPTIONS}
        onChange={(value) =>
          onChange({ status: DELIVERY_STATUSES.find((status) => status === value) ?? null })
        }
      />
      <FilterPicker
        name={t.deliveries.filters.type}
        value={filters.type}
        options={types.map((type) => ({ value: type, label: type }))}
        onChange={(type) => onChange({ type })}
      />
      <FilterPicker
        name={t.deliveries.filters.endpoint}
        value={filters.endpoint}
        options={[...names].map(([value, label]) => ({ value, label }))}
        onChange={(endpoint) => onChange({ endpoint })}
      />
    </FilterBar>
  );
}
