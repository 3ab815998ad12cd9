package org.nyala.loadtest.generate;

/** A line of a template, for errors. Immutable. */
record Place(String file, int line) {
  /** An error in one sentence. */
  IllegalArgumentException problem(String sentence) {
    return new IllegalArgumentException(this + ": " + sentence);
  }

  /** An error that says what must be there, and what is. */
  IllegalArgumentException refused(String expected, String found) {
    return problem("expected " + expected + ", but found " + found);
  }

  void require(boolean holds, String expected, String found) {
    if (!holds) {
      throw refused(expected, found);
    }
  }

  /**
   * Reads a whole number.
   *
   * @param what the meaning of the number
   */
  long number(String digits, String what, long least, long most) {
    try {
      long number = Long.parseLong(digits.strip());
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException _) {
      // refused below
    }
    throw refused(what + ", a whole number from " + least + " to " + most, "'" + digits + "'");
  }

  /** Reads a number that may have decimals. */
  double decimal(String digits, String what, double least, double most) {
    try {
      double number = Double.parseDouble(digits.strip());
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException _) {
      // refused below
    }
    throw refused(what, "'" + digits + "'");
  }

  @Override
  public String toString() {
    return file + ", line " + line;
  }
}
