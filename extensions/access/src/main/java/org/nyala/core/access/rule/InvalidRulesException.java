package org.nyala.core.access.rule;

/** The text is not a file of access rules. Carries no stack trace: the message has the place. */
public final class InvalidRulesException extends Exception {
  private static final long serialVersionUID = 1;

  private static final int MAXIMUM_CHARS = 1_000;

  private final transient Source source;

  /**
   * Creates the exception of a fault.
   *
   * @param source the place of the fault
   * @param fault what is wrong, without the place
   */
  public InvalidRulesException(Source source, String fault) {
    super(source + ": " + shown(fault), null, false, false);
    this.source = source;
  }

  /* Shortens the fault found and removes characters that logs and terminals obey. */
  private static String shown(String fault) {
    String safe = fault.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
    return safe.length() <= MAXIMUM_CHARS ? safe : safe.substring(0, MAXIMUM_CHARS) + "...";
  }

  /** The fault, without its place. */
  public String fault() {
    return String.valueOf(getMessage()).substring((source + ": ").length());
  }

  /** The place of the fault. */
  public Source source() {
    return source;
  }
}
