package org.nyala.core.access.slapd;

import org.nyala.core.access.rule.Source;

/**
 * The file is no configuration of slapd that can be read. Carries no stack trace: the message has
 * the place.
 */
public final class InvalidSlapdFileException extends Exception {
  private static final long serialVersionUID = 1;

  InvalidSlapdFileException(Source source, String fault) {
    super(
        ImportedRules.Unsaid.place(source) + ": " + ImportedRules.Unsaid.shown(fault),
        null,
        false,
        false);
  }
}
