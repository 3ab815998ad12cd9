package org.nyala.lmdb.env;

/** Is told now and then how far work on all entries has come. */
@FunctionalInterface
public interface EntryProgress {
  /** Tells nobody. */
  EntryProgress NONE = (_, _) -> {};

  /**
   * Takes notice of a state.
   *
   * @param done entries looked at
   * @param total about how many there are
   */
  void update(long done, long total);
}
