package org.nyala.core.access.rule;

/**
 * A statement that is asked for rights, in the order of the file.
 *
 * <p>Immutable.
 */
public sealed interface Step permits Rule, Delegation {
  /** The place of the statement. */
  Source source();
}
