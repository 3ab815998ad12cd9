package org.nyala.core.access.check;

import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.Source;

/**
 * A thing about a file of rules that its author may not have meant.
 *
 * <p>Immutable.
 *
 * @param source the place of the statement or clause
 * @param text what was found
 */
public record Finding(Source source, String text) {
  /**
   * Returns the finding that rules cannot be read.
   *
   * @param consequence the end of the sentence
   */
  public static Finding of(InvalidRulesException fault, String consequence) {
    return new Finding(fault.source(), fault.fault() + consequence);
  }

  /** The line that reports it: {@code access.rules:12:3: ...}. */
  @Override
  public String toString() {
    return source + ": " + text;
  }
}
