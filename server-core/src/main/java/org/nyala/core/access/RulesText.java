package org.nyala.core.access;

import java.nio.charset.StandardCharsets;

/**
 * The text of access rules, which is read anew for each schema.
 *
 * <p>Immutable.
 *
 * @param file the name by which messages call it
 * @param text the text
 */
public record RulesText(String file, String text) {
  /** Returns the text as {@code RulesParser} takes it. */
  public byte[] utf8() {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
