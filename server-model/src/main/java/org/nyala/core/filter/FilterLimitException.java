package org.nyala.core.filter;

/** A filter is larger than the server accepts. Carries no stack trace: clients cause it. */
public final class FilterLimitException extends Exception {
  private static final long serialVersionUID = 1;

  private final boolean isPassing;

  FilterLimitException(String message) {
    this(message, false);
  }

  private FilterLimitException(String message, boolean isPassing) {
    super(message, null, false, false);
    this.isPassing = isPassing;
  }

  /**
   * There is no memory for the filter.
   *
   * @param isPassing true if that is because of what its client holds already
   */
  static FilterLimitException noMemory(boolean isPassing) {
    return new FilterLimitException("there is no memory for the filter", isPassing);
  }

  /** Returns whether the same filter may be accepted later. */
  public boolean isPassing() {
    return isPassing;
  }
}
