package org.nyala.core.update;

import java.util.List;

/** A listener for committed changes. Thread-safe. */
public interface ChangeListener {
  /**
   * Receives the changes of one commit, in order. On the writer's thread, before the requests are
   * answered: quick, and throws nothing.
   */
  void committed(List<CommittedChange> changes);

  /**
   * Returns whether changes should come with images of their entries; called once before each
   * commit. Making one costs about as much as copying the entry.
   */
  default boolean wantsImages() {
    return false;
  }
}
