package org.nyala.management.bean;

import java.util.List;

/** Looks at a running server as {@code nyala doctor} does. Thread-safe. */
@Description("Looks at the running server for what an administrator should know.")
public interface FindingsMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Findings";

  /** The weights of findings, the least first. */
  enum Weight {
    /** All is well. */
    OK,
    /** Something was not looked at. */
    UNKNOWN,
    /** Something may be better. */
    ADVICE,
    /** Something will fail, or is not as it was meant. */
    WARNING,
    /** Something fails. */
    FAULT
  }

  /**
   * A finding.
   *
   * @param weight its weight
   * @param area the subject, such as {@code disk}
   * @param sentence one line for people
   * @param command the command that mends it, or shows more; empty if there is none
   */
  record Finding(Weight weight, String area, String sentence, String command) {}

  /** Returns the findings of the server. */
  @Description(
      "Findings that only the running server knows, each with its weight and the command that mends"
          + " it. Slow searches are explained for that, for five seconds at most.")
  List<Finding> examine();
}
