package org.nyala.core.filter;

/** A filter is larger than the server accepts. Carries no stack trace: clients cause it. */
public final class FilterLimitException extends Exception {
  private static final long serialVersionUID = 1;

  FilterLimitException(String message) {
    super(message, null, false, false);
  }
}
