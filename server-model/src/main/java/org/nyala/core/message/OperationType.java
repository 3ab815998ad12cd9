package org.nyala.core.message;

/** The kinds of requests (RFC 4511, section 4.1.1), as counters and logs name them. */
public enum OperationType {
  BIND("bind"),
  /** Unbind, which has no answer. */
  UNBIND("unbind"),
  SEARCH("search"),
  COMPARE("compare"),
  MODIFY("modify"),
  MODIFY_DN("modifyDn"),
  ADD("add"),
  DELETE("delete"),
  /** Abandon, which has no answer. */
  ABANDON("abandon"),
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
