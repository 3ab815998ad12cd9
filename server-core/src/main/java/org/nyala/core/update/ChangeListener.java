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
   * Returns whether changes should come with images of their entries; called once before each
   * commit. Making one costs about as much as copying the entry.
   */
  default boolean wantsImages() {
    return false;
  }
}
