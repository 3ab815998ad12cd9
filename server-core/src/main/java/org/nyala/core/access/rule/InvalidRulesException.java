package org.nyala.core.access.rule;

/** The text is not a file of access rules. Carries no stack trace: the message has the place. */
public final class InvalidRulesException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient Source source;

  InvalidRulesException(Source source, String fault) {
    super(source + ": " + fault, null, false, false);
    this.source = source;
  }

  /** The place of the fault. */
  public Source source() {
    return source;
  }
}
