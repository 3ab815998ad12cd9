package org.nyala.core.directory.virtual;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Entries that no store holds and that are made when they are asked for. Thread-safe; never blocks,
 * for it is asked on event loops too.
 */
@FunctionalInterface
public interface VirtualTree {
  /**
   * The entry at the top as it is at this moment.
   *
   * @return the same name at each call
   */
  Node top();

  /**
   * One entry.
   *
   * <p>Immutable, except for its children, which are computed when they are read.
   *
   * @param rdn its name below its parent; the whole name for the top
   * @param attributes values by attribute; attributes unknown to the schema in force are left out
   * @param children the entries below, as they are at that moment
   */
  record Node(String rdn, Map<String, List<String>> attributes, Supplier<List<Node>> children) {}
}
