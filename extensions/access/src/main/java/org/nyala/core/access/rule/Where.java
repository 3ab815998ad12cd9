package org.nyala.core.access.rule;

import org.nyala.core.filter.FilterParser;
import org.nyala.core.message.FilterNode;

/**
 * A filter that entries of a target match, as they are stored: rights do not narrow what it sees.
 *
 * <p>Immutable.
 *
 * @param text the filter in RFC 4515's form, with its parentheses, in one line
 */
public record Where(String text) {
  /**
   * Checks the form.
   *
   * @throws IllegalArgumentException if it is not a filter, saying why
   */
  public Where {
    if (!text.startsWith("(") || text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
      throw new IllegalArgumentException("'" + text + "' is not a filter in one line");
    }
    FilterParser.parse(text);
  }

  /** Returns the filter, read from the text anew. */
  public FilterNode filter() {
    return FilterParser.parse(text);
  }
}
