package org.nyala.core.update;

import java.util.List;

/** Is told of what was committed. Thread-safe. */
public interface ChangeListener {
  /**
   * Takes what one commit changed, in order. On the writer's thread, before the requests are
   * answered: quick, and throws nothing.
   */
  void committed(List<CommittedChange> changes);

  /**
   * Whether changes should come with images of their entries; asked once before each commit. To
   * make one costs about as much as to copy the entry.
   */
  default boolean wantsImages() {
    return false;
  }
}
