package org.nyala.core.access.slapd;

import java.util.List;
import org.nyala.core.access.rule.AccessRules;

/**
 * The rules that a configuration of slapd has become.
 *
 * <p>Immutable.
 *
 * @param text the file of rules, with slapd's lines as comments
 * @param rules the rules that the parser reads from it
 * @param unsaid what it does not say, in the order of the text
 */
public record ImportedRules(String text, AccessRules rules, List<Unsaid> unsaid) {
  /** Copies the list. */
  public ImportedRules {
    unsaid = List.copyOf(unsaid);
  }
}
