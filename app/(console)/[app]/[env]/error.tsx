'use client';

import { FrameError } from '@/components/shell/page-error';

export default FrameError;
