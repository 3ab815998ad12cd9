package org.nyala.loadtest.failover;

/** The ways in which servers of a test lose changes, or do not. */
enum Loss {
  /** An addition is acknowledged, and made nowhere. */
  LOST_ADD,
  /** A modification is acknowledged, and made nowhere. */
  LOST_MODIFY,
  /** All writes of a register are acknowledged, and made nowhere. */
  LOST_REGISTER,
  /** A modification is made of two of four attributes. */
  HALF_MODIFY,
  /** A deletion is acknowledged, and not made. */
  KEPT_DELETED,
  /** An entry is as it was before its changes. */
  WENT_BACK,
  /** Two changes of an entry take effect in the wrong order. */
  REORDERED,
  /** The server restarts without its last changes. */
  ROLLED_BACK,
  /** A change does not come to a copy. */
  MISSING_AT_COPY,
  /** A half of a modification comes to a copy. */
  HALF_AT_COPY,
  /** A copy takes over without the last changes. */
  TAKEN_OVER_LATE,
  /** A change is refused, and made. */
  REFUSED_AND_MADE,
  /** An entry has a number that nobody wrote. */
  INVENTED,
  /** The server that takes writes answers reads of a register with an old value. */
  OLD_AT_WRITER,
  /** Nothing is lost. */
  NONE,
  /** Nothing is lost, and the copy is late. */
  NONE_LATE_COPY,
  /** Nothing is lost; some changes are made without an answer, some not. */
  NONE_UNANSWERED,
  /** Nothing is lost; changes without an answer are made later. */
  NONE_LATER,
  /** Nothing is lost; the server restarts. */
  NONE_RESTARTED,
  /** Nothing is lost; a copy takes over. */
  NONE_TAKEN_OVER;

  boolean isHarmless() {
    return name().startsWith("NONE");
  }
}
