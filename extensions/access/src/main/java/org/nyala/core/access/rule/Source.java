package org.nyala.core.access.rule;

/**
 * The place at which a statement or a clause begins.
 *
 * <p>Immutable.
 *
 * @param file the name of the file, or of what holds the text otherwise
 * @param line the number of the line, from 1; 0 for what was never text
 * @param column the number of the character in the line, from 1; 0 for what was never text
 */
public record Source(String file, int line, int column) {
  /** The place of what was never text. */
  public static final Source NONE = new Source("", 0, 0);

  /** The place as messages begin with it: {@code access.rules:12:5}. */
  @Override
  public String toString() {
    return file + ':' + line + ':' + column;
  }
}
