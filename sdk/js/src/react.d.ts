import type { ReactNode } from 'react'

import type { Host, ToolHandler } from './index.js'

/** Connects and shows its children when that is done; fallback until then. */
export function CardProvider(props: { children?: ReactNode; fallback?: ReactNode; host?: Host }): ReactNode

/** The connected host object. */
export function useCard(): Host

/** Answers calls of a tool with the newest handler while the component is shown. */
export function useTool<Args = Record<string, unknown>>(name: string, handler: ToolHandler<Args>): void
