package org.nyala.core.access.slapd;

import java.util.List;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Source;

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
  public ImportedRules {
    unsaid = List.copyOf(unsaid);
  }

  /**
   * A part of slapd's configuration that the rules do not say, or not in full.
   *
   * <p>Immutable.
   *
   * @param source the place of the directive
   * @param reason what was left out, and why
   */
  public record Unsaid(Source source, String reason) {
    private static final int MAXIMUM_CHARS = 300;

    /** Makes the reason safe to print. */
    public Unsaid {
      reason = shown(reason);
    }

    /** Returns a text without characters that terminals and logs obey, cut if it is long. */
    static String shown(String text) {
      String safe = text.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
      return safe.length() <= MAXIMUM_CHARS ? safe : safe.substring(0, MAXIMUM_CHARS) + "...";
    }

    /** Returns a place as messages begin with it: directives begin in the first column. */
    static String place(Source source) {
      return shown(source.file()) + ':' + source.line();
    }

    /** The line that reports it: {@code slapd.conf:12: by domain=...: a name of ...}. */
    @Override
    public String toString() {
      return place(source) + ": " + reason;
    }
  }
}
