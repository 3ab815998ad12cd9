package org.nyala.cluster.raft;

import java.io.IOException;

/** A failure of a member of a cluster: its message is a sentence for people. Immutable. */
public final class RaftException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Creates a failure without a cause. */
  public RaftException(String sentence) {
    super(sentence);
  }

  /** Creates a failure with its cause, whose text the sentence need not repeat. */
  public RaftException(String sentence, Throwable cause) {
    super(sentence, cause);
  }
}
