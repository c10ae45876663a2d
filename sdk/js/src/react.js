// Tools of a card in React.

import { createContext, createElement, useContext, useEffect, useRef, useState } from 'react'

import { connect } from './connect.js'

const Card = createContext(null)

/** Connects and shows its children when that is done; fallback until then. */
export function CardProvider({ children, fallback = null, host }) {
  const [card, setCard] = useState(host ?? null)
  const [error, setError] = useState(null)
  useEffect(() => {
    if (host) return
    let gone = false
    connect().then(
      (made) => (gone ? made.close() : setCard(made)),
      (failed) => !gone && setError(failed),
    )
    return () => {
      gone = true
    }
  }, [host])
  if (error) throw error
  return card ? createElement(Card.Provider, { value: card }, children) : fallback
}

/** The connected host object. */
export function useCard() {
  const card = useContext(Card)
  if (!card) throw new Error('useCard needs a CardProvider around it')
  return card
}

/** Answers calls of a tool with the newest fn while the component is shown. */
export function useTool(name, fn) {
  const card = useCard()
  const newest = useRef(fn)
  newest.current = fn
  useEffect(() => card.tools.handle(name, (args, call) => newest.current(args, call)), [card, name])
}
