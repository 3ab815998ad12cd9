package org.nyala.core.update;

import java.util.List;
import org.nyala.core.backend.ResolvedChange;

/** A listener for committed changes. Thread-safe. */
public interface ChangeListener {
  /**
   * Receives the changes of one commit, in order. On the writer's thread, before the requests are
   * answered: quick, and throws nothing.
   */
  void committed(List<CommittedChange> changes);

  /**
   * Returns whether no further update may go into the commit of a change, because later ones depend
   * on what the listener makes of it. On the writer's thread, once for each change that is applied.
   */
  default boolean endsCommit(ResolvedChange change) {
    return false;
  }

  /**
   * Learns that the whole state of a store was replaced by another one, by no commit: anything may
   * be different. On the writer's thread; throws nothing.
   */
  default void replaced() {}

  /** The images of entries that changes come with. Making one costs a copy of the entry. */
  enum Images {
    NONE,
    /** The entry after the change, or before it was deleted. */
    LATEST,
    /** The entry after and before the change. */
    BOTH
  }

  /** Returns the images that changes should come with; called once before each commit. */
  default Images images() {
    return Images.NONE;
  }
}
