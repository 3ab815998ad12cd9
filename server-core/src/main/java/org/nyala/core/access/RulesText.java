package org.nyala.core.access;

import java.nio.charset.StandardCharsets;

/**
 * The text of access rules, which is read anew for each schema.
 *
 * <p>Immutable.
 *
 * @param file the name by which messages call it
 * @param text the text
 * @param delegatedRules the maximum number of rules that the directory holds for one subtree
 */
public record RulesText(String file, String text, int delegatedRules) {
  /** The default of the maximum number of rules that the directory holds for one subtree. */
  public static final int DELEGATED_RULES = 200;

  /** Creates a text with that default. */
  public RulesText(String file, String text) {
    this(file, text, DELEGATED_RULES);
  }

  /** Returns the same text with another maximum of rules that the directory holds. */
  public RulesText delegating(int most) {
    return new RulesText(file, text, most);
  }

  /** Returns the text as {@code RulesParser} takes it. */
  public byte[] utf8() {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
