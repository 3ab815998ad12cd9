package org.nyala.core.message;

/** The kinds of requests (RFC 4511, section 4.1.1), as counters and logs name them. */
public enum OperationType {
  /** Bind. */
  BIND("bind"),
  /** Unbind, which has no answer. */
  UNBIND("unbind"),
  /** Search. */
  SEARCH("search"),
  /** Compare. */
  COMPARE("compare"),
  /** Modify. */
  MODIFY("modify"),
  /** Modify DN. */
  MODIFY_DN("modifyDn"),
  /** Add. */
  ADD("add"),
  /** Delete. */
  DELETE("delete"),
  /** Abandon, which has no answer. */
  ABANDON("abandon"),
  /** Any extended operation. */
  EXTENDED("extended");

  private final String label;

  OperationType(String label) {
    this.label = label;
  }

  /** The name in tags and logs. */
  public String label() {
    return label;
  }

  /** Returns whether the operation is complete when decoded, without an answer. */
  public boolean isUnanswered() {
    return this == UNBIND || this == ABANDON;
  }
}
